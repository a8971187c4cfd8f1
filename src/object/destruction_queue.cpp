// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/destruction_queue.hpp>

#include <arenite/core/system_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

constinit thread_local destruction_queue::activity destruction_queue::this_thread{0, nullptr};

destruction_queue::~destruction_queue() {
    if (lists_ != inside_)
        system_resource().deallocate(lists_, capacity_ * sizeof(list), alignof(list));
    thread_.queue = outer_;
}

std::int64_t destruction_queue::add(end_function end, void* place, std::int64_t unit,
                                    std::int64_t reach) noexcept {
    auto* const here = static_cast<std::byte*>(place);
    const std::size_t searched = std::min(count_, lists_searched);
    for (list* l = lists_ + count_; l != lists_ + (count_ - searched);) {
        --l;
        if (l->end != end)
            continue;
        // By their numbers: the objects are none of one array.
        const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(l->first) -
                                                        reinterpret_cast<std::uintptr_t>(here));
        if (distance % unit != 0 || distance / unit > reach || distance / unit < -reach)
            continue;
        l->first = here;
        return distance / unit;
    }
    if (count_ == capacity_ && !grow())
        return refused;
    lists_[count_++] = {end, here};
    return 0;
}

void destruction_queue::step(std::int64_t link_bytes) noexcept {
    list& current = lists_[count_ - 1];
    if (link_bytes == 0)
        --count_;
    else
        current.first += link_bytes;
}

void destruction_queue::end_later(activity& thread, end_function end, void* object, void* with,
                                  std::size_t count) noexcept {
    if (thread.queue != nullptr && thread.queue->add_alone(end, object, {with, count}))
        return;
    destruction_queue below{thread};
    if (below.add_alone(end, object, {with, count})) // always: there is room for the first
        below.drain();
}

bool destruction_queue::add_alone(end_function end, void* object, alone wanted) noexcept {
    if (count_ + 3 > capacity_ && !grow())
        return false;
    lists_[count_++] = {nullptr, static_cast<std::byte*>(wanted.with)};
    lists_[count_++] = {nullptr, reinterpret_cast<std::byte*>(wanted.count)};
    lists_[count_++] = {end, static_cast<std::byte*>(object)};
    return true;
}

destruction_queue::alone destruction_queue::take_alone() noexcept {
    count_ -= 3;
    return {lists_[count_].first, reinterpret_cast<std::size_t>(lists_[count_ + 1].first)};
}

bool destruction_queue::grow() noexcept {
    void* const p = system_resource().try_allocate(2 * capacity_ * sizeof(list), alignof(list));
    if (p == nullptr)
        return false;
    list* const larger = static_cast<list*>(p);
    std::copy_n(lists_, count_, larger);
    if (lists_ != inside_)
        system_resource().deallocate(lists_, capacity_ * sizeof(list), alignof(list));
    lists_ = larger;
    capacity_ *= 2;
    return true;
}

} // namespace ARENITE_ABI
} // namespace arenite
