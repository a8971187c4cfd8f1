// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/aggregate.hpp>
#include <arenite/core/members.hpp>

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// Where the members of a type lie, what is lost between them, and how many cache lines a loop over
/// an array touches for the members that it uses.
///
///     std::cout << layout_of<particle>();
///     layout_of<particle, &particle::position, &particle::velocity>().write_json(std::cout);
///
/// Use when:  deciding whether a hole can be packed away, or whether members should have columns of
///            their own (soa/records.hpp): if the share used is low, they should. Shows what pahole
///            does, without debugging information.
/// Cost:      a list of the members; not meant for hot code.
/// Limits:    types that members_of knows. With a describe<T>, members that are not listed count as
///            holes.
/// Threads:   reading by many.
/// Failure:   std::bad_alloc if there is no memory for the list.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), listing 5.2.
struct type_layout {
    struct member {
        std::string_view name;
        std::string_view type;
        std::size_t offset;
        std::size_t bytes;
        bool used; ///< one of those that were named, or no member was

        [[nodiscard]] std::size_t end() const noexcept { return offset + bytes; }
    };

    /// A cache line, and how many of its bytes belong to used members.
    struct line {
        std::size_t index;
        std::size_t used_bytes;
    };

    static constexpr std::size_t line_bytes = 64;

    std::string_view name;
    std::size_t bytes;
    std::size_t alignment;
    std::vector<member> members; ///< by offset

    /// Bytes of all members, and of the used ones; bytes of overlapping members are counted once.
    [[nodiscard]] std::size_t member_bytes() const noexcept;
    [[nodiscard]] std::size_t used_bytes() const noexcept;

    /// Gaps between members, without the padding after the last.
    [[nodiscard]] std::size_t hole_count() const noexcept;
    [[nodiscard]] std::size_t hole_bytes() const noexcept;
    [[nodiscard]] std::size_t padding_bytes() const noexcept;

    /// Lines that the used members touch, of an object that starts so many bytes after the start of
    /// a line.
    [[nodiscard]] std::vector<line> lines(std::size_t begin = 0) const;

    /// Lines touched per object of an array, and the share of them that is used, averaged over all
    /// positions of an object in an array whose first object starts on a line.
    [[nodiscard]] double lines_in_array() const;
    [[nodiscard]] double share_in_array() const;

    /// Writes a line a member, with holes and the starts of cache lines; a summary follows. In
    /// UTF-8.
    void write_text(std::ostream& out) const;
    void write_json(std::ostream& out) const;
    friend std::ostream& operator<<(std::ostream& out, const type_layout& layout) {
        layout.write_text(out);
        return out;
    }

    /// Sorts the members by offset, which a describe<T> need not do.
    void put_in_order();
};

/// The layout of T; if members are named, for a loop that uses these.
template <class T, auto... Used>
[[nodiscard]] type_layout layout_of() {
    using all = members_of<T>;
    type_layout layout{detail::aggregate::name_of_type<T>, sizeof(T), alignof(T), {}};
    const detail::aggregate::ghost<T> nobody;
    const auto* begin = reinterpret_cast<const char*>(std::addressof(nobody.value));
    std::size_t offsets[all::count];
    all::visit(nobody.value, [&, k = std::size_t{0}](auto&... m) mutable {
        (..., (offsets[k++] = static_cast<std::size_t>(
                   reinterpret_cast<const char*>(std::addressof(m)) - begin)));
    });
    const std::size_t used[]{all::count, all::template index<Used>...};
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        layout.members = {
            {all::template name<K>, detail::aggregate::name_of_type<typename all::template type<K>>,
             offsets[K], sizeof(typename all::template type<K>),
             sizeof...(Used) == 0 || std::find(used, std::end(used), K) != std::end(used)}...};
    }(std::make_index_sequence<all::count>{});
    layout.put_in_order();
    return layout;
}

} // namespace ARENITE_ABI
} // namespace arenite
