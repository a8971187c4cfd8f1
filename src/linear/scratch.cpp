// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The scratch memory of a thread: growing_linear_resources, made at their first use, in memory that
// stays until all objects of the thread have ended. scratch_other_than() picks one that a caller
// does not hold. Read thread_scratches::at(). The inlined scratch() reads only first_scratch;
// everything else is found from it by the distance to_linear, which is the same in every thread, so
// that one thread-local pointer is enough.
#include <arenite/linear/detail/linear_part.hpp>
#include <arenite/linear/scratch.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/core/error.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local linear_resource* first_scratch = nullptr;

// The scratches of one thread. They lie in memory of their own that stays until all objects of the
// thread have ended, so that they can be used until the very last.
class thread_scratches {
public:
    /// In the order of their indexes, at the first time.
    [[nodiscard]] static linear_resource& at(std::size_t index) {
        thread_scratches& here = first_scratch == nullptr ? make() : mine();
        if (index < here.made_)
            return here.arena(index);
        auto& arena = *::new (here.place(index)) growing_linear_resource{scratch_bytes};
        linear_part::make_scratch(arena);
        here.made_ = index + 1;
        // Made by an object that ends after the thread's own end: nobody will come to give it back
        // later.
        arena.keeps_nothing_ = thread_exit::has_come();
        if (!arena.keeps_nothing_)
            thread_exit::await(&give_back);
        if (index == 0) {
            linear_resource& linear = arena;
            to_linear.store(address_of(&linear) - address_of(&here), std::memory_order_relaxed);
            first_scratch = &linear;
        }
        return arena;
    }

private:
    static thread_scratches& make() {
        // From malloc and freed by hand: a thread_local with a destructor would be gone while later
        // destructors still use it.
        void* const place = std::malloc(sizeof(thread_scratches));
        if (place == nullptr)
            throw_out_of_memory(sizeof(thread_scratches), alignof(thread_scratches), nullptr);
        thread_exit::await_last(&end);
        return *::new (place) thread_scratches;
    }

    /// Where the first scratch lies; there is one.
    static thread_scratches& mine() noexcept {
        auto* const first = reinterpret_cast<std::byte*>(first_scratch);
        return *std::launder(
            reinterpret_cast<thread_scratches*>(first - to_linear.load(std::memory_order_relaxed)));
    }

    // The thread ends. Objects of it that end later may still come: from then on each scratch gives
    // its memory back whenever it is empty.
    static void give_back() noexcept {
        thread_scratches& here = mine();
        for (std::size_t i = 0; i < here.made_; ++i) {
            here.arena(i).keeps_nothing_ = true;
            linear_part::renew(here.arena(i)); // which empties it
        }
    }

    static void end() noexcept {
        thread_scratches& here = mine();
        first_scratch = nullptr;
        for (std::size_t i = here.made_; i-- != 0;)
            std::destroy_at(&here.arena(i));
        std::free(&here);
    }

    [[nodiscard]] void* place(std::size_t index) noexcept {
        return places_ + index * sizeof(growing_linear_resource);
    }
    [[nodiscard]] growing_linear_resource& arena(std::size_t index) noexcept {
        return *std::launder(static_cast<growing_linear_resource*>(place(index)));
    }

    static constinit std::atomic<std::size_t> to_linear; ///< the same in every thread

    std::size_t made_ = 0;
    alignas(growing_linear_resource)
        std::byte places_[scratches_of_a_thread * sizeof(growing_linear_resource)];
};

constinit std::atomic<std::size_t> thread_scratches::to_linear{0};

linear_resource& make_first_scratch() { return thread_scratches::at(0); }

linear_resource& scratch_other_than(std::span<const resource* const> conflicts) {
    for (std::size_t i = 0; i < scratches_of_a_thread; ++i) {
        linear_resource& arena = thread_scratches::at(i);
        // At most a handful of conflicts and scratches: compared one by one.
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
