// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/scratch.hpp>

#include <arenite/core/contract.hpp>
#include <arenite/core/thread_exit.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local linear_resource* first_scratch = nullptr;

// The scratches of one thread. They lie in memory of the thread that no destructor ends, so that
// they can be used until the very last of its objects is gone.
class thread_scratches {
public:
    [[nodiscard]] static linear_resource& at(std::size_t index) {
        std::byte* const place = places + index * sizeof(growing_linear_resource);
        if (index < made)
            return *std::launder(reinterpret_cast<growing_linear_resource*>(place));
        auto& arena = *::new (place) growing_linear_resource{scratch_bytes};
        linear_part::make_scratch(arena);
        made = index + 1;
        arena.keeps_nothing_ = thread_exit::has_come();
        if (!arena.keeps_nothing_)
            thread_exit::await(&give_back);
        if (index == 0)
            first_scratch = &static_cast<linear_resource&>(arena);
        return arena;
    }

private:
    // The thread ends. Objects of it that end later may still come: from then on each scratch gives
    // its memory back whenever it is empty.
    static void give_back() noexcept {
        for (std::size_t i = 0; i < made; ++i) {
            auto& arena = *std::launder(reinterpret_cast<growing_linear_resource*>(
                places + i * sizeof(growing_linear_resource)));
            arena.keeps_nothing_ = true;
            linear_part::renew(arena); // which empties it
        }
    }

    static constinit thread_local std::size_t made;
    alignas(growing_linear_resource) static constinit thread_local std::byte
        places[scratches_of_a_thread * sizeof(growing_linear_resource)];
};

constinit thread_local std::size_t thread_scratches::made = 0;
alignas(growing_linear_resource) constinit thread_local std::byte
    thread_scratches::places[scratches_of_a_thread * sizeof(growing_linear_resource)] = {};

linear_resource& make_first_scratch() { return thread_scratches::at(0); }

linear_resource& scratch_other_than(std::span<const resource* const> conflicts) {
    for (std::size_t i = 0; i < scratches_of_a_thread; ++i) {
        linear_resource& arena = thread_scratches::at(i);
        const bool is_free =
            std::none_of(conflicts.begin(), conflicts.end(),
                         [&arena](const resource* other) { return other == &arena; });
        if (is_free)
            return arena;
    }
    contract_violation_f(std::source_location::current(),
                         "scratch: each of the thread's %zu scratches is named as a conflict",
                         scratches_of_a_thread);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
