// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/members.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

/// How the members of many objects are laid out in one piece of memory: the second argument of
/// `records<T, Layout>`. One word of the program selects it; for a T of an x, a y and a z:
///
///     aos        | x y z | x y z | x y z | x y z | ...           whole objects side by side
///     soa        | x x x x ... | y y y y ... | z z z z ... |     a column for each member
///     aosoa<4>   | x x x x y y y y z z z z | x x x x ...         blocks, a short column in each
///
/// A layout has a template `placement<T>`, which is pure arithmetic: what the parts are (members,
/// or the whole object), how many rows and bytes a granule of memory has, and where a part lies.
namespace arenite {
inline namespace ARENITE_ABI {
namespace layout {

/// Columns start on a cache line.
inline constexpr std::size_t column_alignment = 64;

namespace detail {

/// Sizes and alignments of the members, and sums over them.
template <class T, class Indices = std::make_index_sequence<members_of<T>::count>>
struct member_sizes;
template <class T, std::size_t... K>
struct member_sizes<T, std::index_sequence<K...>> {
    static constexpr std::size_t count = sizeof...(K);
    static constexpr std::size_t bytes[count]{sizeof(typename members_of<T>::template type<K>)...};
    static constexpr std::size_t alignments[count]{
        alignof(typename members_of<T>::template type<K>)...};

    static constexpr std::size_t alignment =
        std::max({column_alignment, alignof(typename members_of<T>::template type<K>)...});
};

} // namespace detail

/// Whole objects side by side, as in a std::vector<T>.
struct aos {
    template <class T>
    struct placement {
        static constexpr bool whole_objects = true;
        static constexpr bool contiguous_parts = true;
        static constexpr std::size_t part_count = 1;
        template <std::size_t>
        using part = T;

        static constexpr std::size_t alignment = std::max(column_alignment, alignof(T));
        static constexpr std::size_t granule_rows = 1;
        static constexpr std::size_t granule_bytes = sizeof(T);

        template <std::size_t>
        ARENITE_INLINE static T* at(std::byte* memory, std::size_t, std::size_t row) noexcept {
            return static_cast<T*>(static_cast<void*>(memory + row * sizeof(T)));
        }
    };
};

/// A column for each member; all columns in one allocation, each on a cache line.
struct soa {
    template <class T>
    struct placement {
        using sizes = detail::member_sizes<T>;

        static constexpr bool whole_objects = false;
        static constexpr bool contiguous_parts = true;
        static constexpr std::size_t part_count = sizes::count;
        template <std::size_t K>
        using part = typename members_of<T>::template type<K>;

        static constexpr std::size_t alignment = sizes::alignment;

        /// The smallest number of rows for which every column is a multiple of the alignment: a
        /// column then starts at (bytes of a row before it) * capacity, and no table of columns is
        /// needed.
        static constexpr std::size_t granule_rows = [] {
            std::size_t rows = 1;
            for (const std::size_t bytes : sizes::bytes)
                rows = std::max(rows, alignment / std::min(alignment, bytes & (~bytes + 1)));
            return rows;
        }();

        /// Bytes of a row in the columns before the K-th.
        static constexpr std::size_t bytes_before(std::size_t k) noexcept {
            std::size_t sum = 0;
            for (std::size_t i = 0; i < k; ++i)
                sum += sizes::bytes[i];
            return sum;
        }

        static constexpr std::size_t granule_bytes = granule_rows * bytes_before(part_count);

        template <std::size_t K>
        ARENITE_INLINE static part<K>* at(std::byte* memory, std::size_t capacity,
                                          std::size_t row) noexcept {
            constexpr std::size_t before = bytes_before(K);
            return static_cast<part<K>*>(
                static_cast<void*>(memory + capacity * before + row * sizeof(part<K>)));
        }
    };
};

/// Blocks of N objects, a power of two, with a short column for each member: what a vector register
/// loads is contiguous, and all of an object lies close together.
template <std::size_t N>
struct aosoa {
    static_assert(is_alignment(N), "the block of layout::aosoa is a power of two");

    template <class T>
    struct placement {
        using sizes = detail::member_sizes<T>;

        static constexpr bool whole_objects = false;
        static constexpr bool contiguous_parts = false;
        static constexpr std::size_t part_count = sizes::count;
        template <std::size_t K>
        using part = typename members_of<T>::template type<K>;

        static constexpr std::size_t alignment = sizes::alignment;
        static constexpr std::size_t granule_rows = N;

        /// Where the K-th short column starts in a block.
        static constexpr std::size_t offset(std::size_t k) noexcept {
            std::size_t end = 0;
            for (std::size_t i = 0; i < k; ++i)
                end = align_up(end, sizes::alignments[i]) + N * sizes::bytes[i];
            return k < part_count ? align_up(end, sizes::alignments[k]) : end;
        }

        static constexpr std::size_t granule_bytes = align_up(offset(part_count), alignment);

        template <std::size_t K>
        ARENITE_INLINE static part<K>* at(std::byte* memory, std::size_t,
                                          std::size_t row) noexcept {
            constexpr std::size_t in_block = offset(K);
            return static_cast<part<K>*>(static_cast<void*>(memory + row / N * granule_bytes +
                                                            in_block + row % N * sizeof(part<K>)));
        }
    };
};

} // namespace layout
} // namespace ARENITE_ABI
} // namespace arenite
