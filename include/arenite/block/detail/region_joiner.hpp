// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_list.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Joins neighbours of one state to one region before it hands them on. What was added last goes
/// out with flush(): not when this ends, as it does where the sink has thrown.
class region_joiner {
public:
    explicit region_joiner(region_sink& to) noexcept : to_{to} {}

    region_joiner(const region_joiner&) = delete;
    region_joiner& operator=(const region_joiner&) = delete;

    void add(const std::byte* begin, const std::byte* end, region_state state) {
        if (begin == end)
            return;
        if (begin != end_ || state != state_) {
            flush();
            begin_ = begin;
            state_ = state;
        }
        end_ = end;
    }

    void add_object(const std::byte* begin, const std::byte* end) {
        flush();
        to_.add({begin, static_cast<std::size_t>(end - begin), region_state::used, true});
    }

    /// A block with one large object alone.
    void add_large(const block& large) { add_large(large, large_objects::object(large)); }
    /// One whose owner keeps something in front of the object, which begins at `object`.
    void add_large(const block& large, const std::byte* object) {
        const auto* const begin = reinterpret_cast<const std::byte*>(large.span);
        const std::byte* const end = large_objects::object(large) + large_objects::size(large);
        add(begin, object, region_state::overhead);
        add_object(object, end);
        add(end, begin + large.span_bytes, region_state::free);
        flush();
    }

    void flush() { // forgotten first: a sink that throws gets nothing more
        const std::byte* const begin = std::exchange(begin_, nullptr);
        const std::byte* const end = std::exchange(end_, nullptr);
        if (begin != end)
            to_.add({begin, static_cast<std::size_t>(end - begin), state_});
    }

private:
    region_sink& to_;
    const std::byte* begin_ = nullptr;
    const std::byte* end_ = nullptr;
    region_state state_ = region_state::free;
};

/// Lists memory that large objects hold beside those that live: what was freed and is kept for
/// reuse, and the bookkeeping of the spans that they share.
inline void list_kept(const large_objects& large, region_sink& sink) {
    large.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });
    large.for_each_head([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::overhead});
    });
}

/// Lists all memory of a source: what it keeps, then its blocks in address order, then, behind the
/// block cut last, what is not cut yet. of_block(region_joiner&, block&) adds what lies in a block
/// that is not large, to its end.
template <class F>
void list_blocks(const block_source& source, region_sink& sink, F of_block) {
    list_kept(source.large(), sink);
    region_joiner to{sink};
    const std::span<const std::byte> fresh = source.fresh();
    const block_list& all = source.blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::large) != 0) {
            to.add_large(*b);
            continue;
        }
        of_block(to, *b);
        const std::byte* const end = reinterpret_cast<const std::byte*>(b) + b->bytes();
        if (!fresh.empty() && end == fresh.data())
            to.add(end, end + fresh.size(), region_state::untouched);
        to.flush();
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
