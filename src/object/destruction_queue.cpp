// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Ends of any depth without recursion: an object that would end too deep within others enters the
// list of its kind, and the end at the bound works the lists off. First the lists, then batches and
// run(); then objects without a count. Both kinds of queue lie on the stack of the end that reached
// the bound, and are found from the thread's activity; an inner one hides the outer one until it
// ends. The first few entries have room inside, so that ordinary depths allocate nothing.
#include <arenite/object/destruction_queue.hpp>

#include <arenite/core/system_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

/// Moves a table to memory of twice its length; false where there is none.
template <class Entry>
[[nodiscard]] bool grow_table(Entry*& table, const Entry* inside, std::size_t count,
                              std::size_t& capacity) noexcept {
    void* const p = system_resource().try_allocate(2 * capacity * sizeof(Entry), alignof(Entry));
    if (p == nullptr)
        return false;
    Entry* const larger = static_cast<Entry*>(p);
    std::copy_n(table, count, larger);
    // Only tables beyond the first come from the system.
    if (table != inside)
        system_resource().deallocate(table, capacity * sizeof(Entry), alignof(Entry));
    table = larger;
    capacity *= 2;
    return true;
}

} // namespace

constinit thread_local destruction_queue::activity destruction_queue::this_thread{0, nullptr};

destruction_queue::destruction_queue(activity& thread) noexcept
    : thread_{thread}, outer_{thread.rooms}, rooms_{this, thread.known().newest} {
    thread.rooms = &rooms_;
}

destruction_queue::~destruction_queue() {
    if (lists_ != inside_)
        system_resource().deallocate(lists_, capacity_ * sizeof(list), alignof(list));
    thread_.rooms = outer_;
}

std::int64_t destruction_queue::add(end_function ending, void* place, std::int64_t unit,
                                    std::int64_t reach) noexcept {
    auto* const here = static_cast<std::byte*>(place);
    // The latest lists first, and not all of them: objects of one kind usually come together.
    const std::size_t searched = std::min(count_, lists_searched);
    for (list* l = lists_ + count_; l != lists_ + (count_ - searched);) {
        --l;
        if (l->end != ending)
            continue;
        // By their numbers: the objects are none of one array.
        const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(l->first) -
                                                        reinterpret_cast<std::uintptr_t>(here));
        // The link is a distance in units that must fit where the count was; an object out of reach
        // begins another list.
        if (distance % unit != 0 || distance / unit > reach || distance / unit < -reach)
            continue;
        l->first = here;
        return distance / unit;
    }
    if (count_ == capacity_ && !grow_table(lists_, inside_, count_, capacity_))
        return refused;
    lists_[count_++] = {ending, here};
    return 0;
}

void destruction_queue::step(std::int64_t link_bytes) noexcept {
    list& current = lists_[count_ - 1];
    // The last of its list.
    if (link_bytes == 0)
        --count_;
    else
        current.first += link_bytes;
}

// ---- objects without a count --------------------------------------------------------------------

/// Lies on the stack, where the end of the first object of a class and resource began.
///
/// Failure:   add() is false where there is no memory; nothing changes.
class destruction_queue::batch {
public:
    batch(activity& thread, end_alone_function end, void* with) noexcept
        : thread_{thread}, outer_{thread.rooms}, rooms_{thread.known().queue, this}, end_{end},
          with_{with} {
        thread.rooms = &rooms_;
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() {
        if (waiting_ != inside_)
            system_resource().deallocate(waiting_, capacity_ * sizeof(waiting), alignof(waiting));
        thread_.rooms = outer_;
    }

    /// The one at work for such objects; nullptr where there is none.
    [[nodiscard]] static batch* find(const activity& thread, end_alone_function end,
                                     const void* with) noexcept {
        batch* b = thread.known().newest;
        // By class and resource: another resource may end before this batch does.
        while (b != nullptr && (b->end_ != end || b->with_ != with))
            b = b->outer_ == nullptr ? nullptr : b->outer_->newest;
        return b;
    }

    [[nodiscard]] bool add(void* object, std::size_t count) noexcept {
        if (count_ == capacity_ && !grow_table(waiting_, inside_, count_, capacity_))
            return false;
        waiting_[count_++] = {object, count};
        return true;
    }

    /// Ends an object, and all that is added meanwhile.
    void run(void* object, std::size_t count) noexcept {
        end_(object, with_, count);
        while (count_ != 0) {
            // Read before the call, which may add and so move the table.
            const waiting next = waiting_[--count_];
            end_(next.object, with_, next.count);
        }
    }

private:
    struct waiting {
        void* object;
        std::size_t count;
    };
    static constexpr std::size_t waiting_inside = 8;

    activity& thread_;
    const waiting_rooms* outer_;
    const waiting_rooms rooms_;
    end_alone_function end_;
    void* with_;
    waiting inside_[waiting_inside];
    waiting* waiting_ = inside_;
    std::size_t count_ = 0;
    std::size_t capacity_ = waiting_inside;
};

void destruction_queue::end_deep(activity& thread, end_alone_function end, void* object, void* with,
                                 std::size_t count) noexcept {
    batch* const older = batch::find(thread, end, with);
    if (older == nullptr)
        batch{thread, end, with}.run(object, count);
    // No memory for the entry: ended at once, one deeper on the stack, as a program without a queue
    // would.
    else if (!older->add(object, count))
        end(object, with, count);
}

} // namespace ARENITE_ABI
} // namespace arenite
