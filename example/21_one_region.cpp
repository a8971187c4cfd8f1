// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program with a fixed budget: one region serves everything, in any order, and is the upstream
// of the pools and frames that stand on it.
#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <cstdio>

using namespace arenite::literals;

int main() {
    arenite::free_list_resource budget{16_MiB, arenite::fit::best};
    {
        arenite::linear_resource frame{1_MiB, &budget};
        arenite::pool_resource particles{arenite::slot{.bytes = 48, .alignment = 16}, 4096,
                                         &budget};
        static_cast<void>(frame.allocate(1000));
        particles.deallocate(particles.allocate());

        void* texture = budget.allocate(3_MiB, 256);
        if (budget.try_resize(texture, 3_MiB, 2_MiB)) // the rest is free again, where it lies
            std::printf("%zu bytes in use, %.0f %% of what is free lies outside of the largest "
                        "hole\n",
                        budget.usage().bytes_in_use, 100 * budget.fragmentation());
        if (budget.try_allocate(16_MiB) != nullptr)
            return 1; // the budget holds
        budget.deallocate(texture, 2_MiB, 256);
    }
    return budget.usage().bytes_in_use == 0 ? 0 : 1;
}
