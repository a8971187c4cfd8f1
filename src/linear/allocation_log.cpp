// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The allocations of a linear_resource in checked builds, in the order of their addresses, upward
// or downward, so that find() can halve. A rewind is not noted: add_above() and add_below() drop
// what it took when the next allocation shows where the resource begins again. It lies in memory of
// malloc: a log inside the region would change what it observes. Where malloc refuses, the log is
// lost and finds nothing wrong from then on.
#include <arenite/linear/detail/allocation_log.hpp>

#include <algorithm>
#include <cstdlib>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

allocation_log::~allocation_log() { std::free(entries_); }

void allocation_log::add_above(const std::byte* top, const std::byte* p,
                               std::size_t bytes) noexcept {
    downward_ = false;
    while (count_ != 0 && entries_[count_ - 1].first >= top)
        --count_;
    if (count_ != 0)
        // The top may have sunk into the latest entry, by a resize to less.
        entries_[count_ - 1].last = std::min(entries_[count_ - 1].last, top);
    add(p, bytes);
}

void allocation_log::add_below(const std::byte* bottom, const std::byte* p,
                               std::size_t bytes) noexcept {
    downward_ = true;
    while (count_ != 0 && entries_[count_ - 1].first < bottom)
        --count_;
    add(p, bytes);
}

void allocation_log::add(const std::byte* p, std::size_t bytes) noexcept {
    if (count_ == capacity_ && !lost_) {
        const std::size_t more = std::max<std::size_t>(64, 2 * capacity_);
        void* const larger = std::realloc(entries_, more * sizeof(entry));
        if (larger == nullptr) {
            lost_ = true;
        } else {
            entries_ = static_cast<entry*>(larger);
            capacity_ = more;
        }
    }
    if (!lost_)
        entries_[count_++] = {p, p + bytes, false};
}

void allocation_log::resize_latest(const std::byte* p, std::size_t bytes) noexcept {
    entry* const e = find(p);
    if (e == nullptr)
        return;
    e->last = p + bytes;
    count_ =
        static_cast<std::size_t>(e - entries_) + 1; // what was freed above it is its memory now
}

const char* allocation_log::free(const std::byte* p, std::size_t bytes,
                                 const std::byte* top) noexcept {
    if (lost_)
        return nullptr;
    entry* const e = find(p);
    if (e == nullptr)
        return "no allocation begins there";
    if (e->freed)
        return "it was freed before";
    // The end of the latest allocation is where the top is, if it was shrunk without a note here.
    if (std::min(e->last, top) != p + bytes)
        return "it was allocated with another size";
    // It stays in the list until a later allocation begins below it: until then a second free is
    // found.
    e->freed = true;
    return nullptr;
}

allocation_log::entry* allocation_log::find(const std::byte* p) const noexcept {
    entry* const end = entries_ + count_;
    entry* const e = std::partition_point(
        entries_, end, [&](const entry& one) { return downward_ ? one.first > p : one.first < p; });
    return e != end && e->first == p ? e : nullptr;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
