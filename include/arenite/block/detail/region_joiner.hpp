// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Joins neighbours of one state to one region before it hands them on. What was added last goes
/// out with flush(), or when this ends.
class region_joiner {
public:
    explicit region_joiner(region_sink& to) noexcept : to_{to} {}
    ~region_joiner() { flush(); }

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
    void add_large(block& large) {
        const auto* const begin = reinterpret_cast<const std::byte*>(large.span);
        const std::byte* const object = block_source::large_object(large);
        const std::byte* const end = object + block_source::large_bytes(large);
        add(begin, object, region_state::overhead);
        add_object(object, end);
        add(end, begin + large.span_bytes, region_state::free);
        flush();
    }

    void flush() {
        if (begin_ != end_)
            to_.add({begin_, static_cast<std::size_t>(end_ - begin_), state_});
        begin_ = end_ = nullptr;
    }

private:
    region_sink& to_;
    const std::byte* begin_ = nullptr;
    const std::byte* end_ = nullptr;
    region_state state_ = region_state::free;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
