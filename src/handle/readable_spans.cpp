// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Spans whose addresses stay: taking one, an idle one of the same length first, giving it back, and
// the report. The entry of a span is made before its memory is asked for: so giving back can't
// fail.
#include <arenite/handle/detail/readable_spans.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

std::span<readable_spans::entry> readable_spans::entries() const noexcept {
    return {first_, count_};
}

readable_spans::~readable_spans() {
    for (const entry& e : entries())
        upstream_.deallocate(e.begin, e.bytes, std::size_t{1} << e.alignment_log2);
    if (first_ != nullptr)
        upstream_.deallocate(first_, room_ * sizeof(entry), alignof(std::max_align_t));
}

bool readable_spans::make_room() noexcept {
    if (count_ < room_)
        return true;
    const std::size_t room = room_ == 0 ? 4_KiB / sizeof(entry) : 2 * room_;
    void* const p = upstream_.try_allocate(room * sizeof(entry), alignof(std::max_align_t));
    if (p == nullptr)
        return false;
    poison::undefined(p, room * sizeof(entry));
    if (first_ != nullptr) {
        std::memcpy(p, first_, count_ * sizeof(entry));
        upstream_.deallocate(first_, room_ * sizeof(entry), alignof(std::max_align_t));
    }
    first_ = static_cast<entry*>(p);
    room_ = room;
    return true;
}

void* readable_spans::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (idle_bytes_ != 0) {
        for (entry& e : entries()) {
            // Only spans of just this length: parts of one would have to be joined again.
            if (!e.lent && e.bytes == bytes && is_aligned(e.begin, alignment)) {
                e.lent = true;
                idle_bytes_ -= bytes;
                return e.begin;
            }
        }
    }
    if (!make_room()) // first: what comes back always has its place
        return nullptr;
    auto* const p = static_cast<std::byte*>(upstream_.try_allocate(bytes, alignment));
    if (p == nullptr)
        return nullptr;
    entry* const at =
        std::partition_point(first_, first_ + count_, [&](const entry& e) { return e.begin < p; });
    // Kept in address order: the first idle one that fits is then the lowest.
    std::copy_backward(at, first_ + count_, first_ + count_ + 1);
    *at = {p, bytes, static_cast<unsigned char>(std::countr_zero(alignment)), true};
    ++count_;
    return p;
}

/// The entry exists since the span was lent, so this can't fail.
void readable_spans::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    entry* const at = std::partition_point(
        first_, first_ + count_, [&](const entry& e) { return std::less<>{}(e.begin, p); });
    at->lent = false;
    idle_bytes_ += bytes;
    purge(p, bytes);
}

void readable_spans::list_regions(region_sink& sink) const {
    if (room_ != 0)
        sink.add({first_, room_ * sizeof(entry), region_state::overhead});
    if (upstream_.purges())
        return; // idle spans are addresses only
    for (const entry& e : entries())
        if (!e.lent)
            sink.add({e.begin, e.bytes, region_state::free});
}

void readable_spans::purge(void* p, std::size_t bytes) noexcept {
    if (upstream_.purges())
        upstream_.purge(p, bytes);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
