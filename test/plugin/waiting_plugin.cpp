// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/linear/scratch.hpp>

#include <string_view>

#include <pthread.h>

namespace {

struct of_the_waiting {
    static constexpr std::string_view name = "of the waiting";
};

/// Its constructor runs while the library is loaded.
const struct waiting {
    waiting() {
        pthread_t thread{};
        if (pthread_create(&thread, nullptr, &allocate, nullptr) == 0)
            pthread_join(thread, nullptr);
    }
    static void* allocate(void*) {
        auto& heap = arenite::affinity_heap::of<of_the_waiting>();
        heap.deallocate(heap.allocate(100), 100);
        return arenite::scratch().allocate(100);
    }
} while_it_is_loaded;

} // namespace
