// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/scratch.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/thread_exit.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local linear_resource* first_scratch = nullptr;

// The scratches of one thread, behind the one pointer that the thread has of them. No destructor
// ends them, so that they can be used until the very last of the thread's objects is gone. They are
// told by the address of that pointer, which no other living thread has: the next one there gets
// them.
class thread_scratches {
public:
    [[nodiscard]] static linear_resource& at(std::size_t index) {
        thread_scratches& mine = first_scratch != nullptr ? around(*first_scratch) : take();
        if (index < mine.made_)
            return mine.arena(index);
        auto& made = *::new (mine.place(index)) growing_linear_resource{scratch_bytes};
        linear_part::make_scratch(made);
        mine.made_ = index + 1;
        mine.begin(made);
        if (index == 0)
            mine.make_known();
        return made;
    }

private:
    [[nodiscard]] static thread_scratches& around(linear_resource& first) noexcept {
        const auto back = offset_of_first.load(std::memory_order_relaxed);
        return *std::launder(
            reinterpret_cast<thread_scratches*>(reinterpret_cast<std::byte*>(&first) - back));
    }
    void make_known() noexcept {
        linear_resource& first = arena(0);
        offset_of_first.store(address_of(&first) - address_of(this), std::memory_order_relaxed);
        first_scratch = &first;
    }

    /// Those of a thread that was here before this one, or new ones.
    [[nodiscard]] static thread_scratches& take() {
        for (thread_scratches* t = all.load(std::memory_order_acquire); t != nullptr;
             t = t->next_) {
            if (t->thread_ != &first_scratch)
                continue;
            for (std::size_t i = 0; i < t->made_; ++i) {
                linear_part::renew(t->arena(i)); // it may have vanished in a fork
                t->begin(t->arena(i));
            }
            if (t->made_ != 0)
                t->make_known();
            return *t;
        }
        auto& made =
            *::new (system_resource().allocate(sizeof(thread_scratches), alignof(thread_scratches)))
                thread_scratches;
        made.next_ = all.load(std::memory_order_relaxed);
        while (!all.compare_exchange_weak(made.next_, &made, std::memory_order_release,
                                          std::memory_order_relaxed)) {
        }
        return made;
    }

    static void begin(growing_linear_resource& arena) noexcept {
        arena.keeps_nothing_ = thread_exit::has_come();
        if (!arena.keeps_nothing_)
            thread_exit::await(&give_back);
    }

    // The thread ends. Objects of it that end later may still come: from then on each scratch gives
    // its memory back whenever it is empty.
    static void give_back() noexcept {
        thread_scratches& mine = around(*first_scratch);
        for (std::size_t i = 0; i < mine.made_; ++i) {
            mine.arena(i).keeps_nothing_ = true;
            linear_part::renew(mine.arena(i)); // which empties it
        }
    }

    [[nodiscard]] std::byte* place(std::size_t index) noexcept {
        return places_ + index * sizeof(growing_linear_resource);
    }
    [[nodiscard]] growing_linear_resource& arena(std::size_t index) noexcept {
        return *std::launder(reinterpret_cast<growing_linear_resource*>(place(index)));
    }

    static constinit std::atomic<thread_scratches*> all;       // none is ever taken out
    static constinit std::atomic<std::size_t> offset_of_first; // the same in each of them

    thread_scratches* next_ = nullptr;
    const void* thread_ = &first_scratch;
    std::size_t made_ = 0;
    alignas(growing_linear_resource)
        std::byte places_[scratches_of_a_thread * sizeof(growing_linear_resource)];
};

constinit std::atomic<thread_scratches*> thread_scratches::all{nullptr};
constinit std::atomic<std::size_t> thread_scratches::offset_of_first{0};

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
