// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// One allocation with room for rows of a layout, and operations on ranges of rows in it: the
/// lowest part of `records`. It owns the memory and does not know which rows are alive.
///
/// A row is made of parts (layout.hpp): its members, or the whole T. Operations that may throw
/// clean up after themselves: none of the rows they were to construct is left, and no other row was
/// touched.
template <class T, class Layout>
class row_memory {
public:
    using placement = typename Layout::template placement<T>;
    template <std::size_t K>
    using part = typename placement::template part<K>;
    using all_parts = std::make_index_sequence<placement::part_count>;

    /// Maximum number of rows whose size can be represented; 0 for a type without members, which
    /// is refused elsewhere.
    static constexpr std::size_t max_rows =
        placement::granule_bytes == 0
            ? 0
            : max_object_bytes / placement::granule_bytes * placement::granule_rows;

    /// Bytes of a row, without padding between parts.
    static constexpr std::size_t row_bytes = []<std::size_t... K>(std::index_sequence<K...>) {
        return (sizeof(part<K>) + ...);
    }(all_parts{});

    /// True if no row can throw while it is moved.
    static constexpr bool moves = []<std::size_t... K>(std::index_sequence<K...>) {
        return std::is_nothrow_move_constructible_v<T> &&
               (std::is_nothrow_move_constructible_v<part<K>> && ...);
    }(all_parts{});

    /// True if rows can be copied.
    static constexpr bool copies = []<std::size_t... K>(std::index_sequence<K...>) {
        return (std::is_copy_constructible_v<part<K>> && ...);
    }(all_parts{});

    explicit row_memory(upstream source) noexcept : source_{source} {}

    /// Room for that many rows or a few more; throws std::bad_array_new_length and out_of_memory.
    row_memory(std::size_t rows, upstream source) : source_{source} {
        if (!try_allocate(rows)) {
            if (rows > max_rows)
                throw_bad_array_length(rows, placement::granule_bytes / placement::granule_rows);
            throw_out_of_memory(bytes_for(rows), placement::alignment, source_.get());
        }
    }

    row_memory(row_memory&& other) noexcept
        : source_{other.source_}, memory_{std::exchange(other.memory_, nullptr)},
          capacity_{std::exchange(other.capacity_, 0)} {}
    row_memory& operator=(row_memory&& other) noexcept {
        row_memory{std::move(other)}.swap(*this);
        return *this;
    }
    ~row_memory() {
        if (memory_ != nullptr)
            source_.deallocate(memory_, bytes_for(capacity_), placement::alignment);
    }

    void swap(row_memory& other) noexcept {
        std::swap(source_, other.source_);
        std::swap(memory_, other.memory_);
        std::swap(capacity_, other.capacity_);
    }

    /// Returns false if there is no memory or no such size; only for one that has no memory yet.
    [[nodiscard]] bool try_allocate(std::size_t rows) noexcept {
        if (rows > max_rows)
            return false;
        if (rows == 0)
            return true;
        void* p = source_.try_allocate(bytes_for(rows), placement::alignment);
        if (p == nullptr)
            return false;
        memory_ = static_cast<std::byte*>(p);
        capacity_ = granules(rows) * placement::granule_rows;
        return true;
    }

    [[nodiscard]] upstream source() const noexcept { return source_; }
    [[nodiscard]] ARENITE_INLINE std::byte* memory() const noexcept { return memory_; }
    [[nodiscard]] ARENITE_INLINE std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_for(capacity_); }

    template <std::size_t K>
    [[nodiscard]] ARENITE_INLINE part<K>* at(std::size_t row) const noexcept {
        return placement::template at<K>(memory_, capacity_, row);
    }

    /// Constructs a row from the members of a T, which are moved from an rvalue.
    template <class V>
    void construct(std::size_t row, V&& value) {
        if constexpr (placement::whole_objects) {
            ::new (static_cast<void*>(at<0>(row))) T(std::forward<V>(value));
        } else {
            members_of<T>::visit(value, [&](auto&... m) {
                if constexpr (std::is_lvalue_reference_v<V>)
                    this->construct_parts(all_parts{}, row, m...);
                else
                    this->construct_parts(all_parts{}, row, std::move(m)...);
            });
        }
    }

    /// Destroys n rows.
    void destroy(std::size_t first, std::size_t n) noexcept {
        destroy_parts(all_parts{}, placement::part_count, first, n);
    }

    /// Constructs n rows as copies of n others.
    void copy(std::size_t to, const row_memory& from, std::size_t first, std::size_t n) {
        copy_parts(all_parts{}, to, from, first, n);
    }

    /// Moves n rows from other memory, or within this one, where both may overlap: constructs them
    /// at the destination and destroys them at the source.
    void relocate(std::size_t to, row_memory& from, std::size_t first, std::size_t n) noexcept {
        relocate_parts(all_parts{}, to, from, first, n);
    }

    /// Lists the memory in address order; the first `rows` rows are alive.
    void list_regions(region_sink& sink, std::size_t rows) const {
        // Granules that are full count as one; in one that is not, each part is followed by room.
        const std::size_t whole = apart ? 0 : rows / placement::granule_rows;
        const std::byte* const full = memory_ + whole * placement::granule_bytes;
        add_region(sink, memory_, full, region_state::used);
        const std::byte* end = full;
        if (const std::size_t first = whole * placement::granule_rows; first != rows)
            end = list_parts(all_parts{}, sink, first, rows - first);
        add_region(sink, end, memory_ + bytes(), region_state::free);
    }

private:
    /// Destroys what was constructed, unless disarmed.
    struct begun {
        row_memory& memory;
        std::size_t first, n;
        std::size_t parts = 0;

        ~begun() {
            if (parts != placement::part_count)
                memory.destroy_parts(all_parts{}, parts, first, n);
        }
    };

    template <std::size_t K>
    static constexpr bool is_bytes =
        std::is_trivially_copyable_v<part<K>> && placement::contiguous_parts;

    /// The parts of all rows lie in columns as long as the memory.
    static constexpr bool apart = placement::contiguous_parts && !placement::whole_objects;

    static void add_region(region_sink& sink, const std::byte* from, const std::byte* to,
                           region_state state) {
        if (from != to)
            sink.add({from, static_cast<std::size_t>(to - from), state});
    }

    template <std::size_t... K>
    const std::byte* list_parts(std::index_sequence<K...>, region_sink& sink, std::size_t first,
                                std::size_t rows) const {
        const std::byte* end = nullptr;
        const auto list = [&](const void* first_row, std::size_t part_bytes) {
            const auto* const begin = static_cast<const std::byte*>(first_row);
            if (end != nullptr)
                add_region(sink, end, begin, region_state::free);
            end = begin + rows * part_bytes;
            add_region(sink, begin, end, region_state::used);
        };
        (..., list(address<K>(first), sizeof(part<K>)));
        return end;
    }

    static constexpr std::size_t granules(std::size_t rows) noexcept {
        return (rows + placement::granule_rows - 1) / placement::granule_rows;
    }
    static constexpr std::size_t bytes_for(std::size_t rows) noexcept {
        return granules(rows) * placement::granule_bytes;
    }

    template <std::size_t... K, class... M>
    ARENITE_INLINE void construct_parts(std::index_sequence<K...>, std::size_t row, M&&... m) {
        if constexpr ((std::is_nothrow_constructible_v<part<K>, M> && ...)) {
            (..., ::new (address<K>(row)) part<K>(std::forward<M>(m)));
        } else {
            begun guard{*this, row, 1};
            (..., (::new (address<K>(row)) part<K>(std::forward<M>(m)), ++guard.parts));
        }
    }

    template <std::size_t... K>
    void destroy_parts(std::index_sequence<K...>, std::size_t parts, std::size_t first,
                       std::size_t n) noexcept {
        (..., (K < parts ? destroy_part<K>(first, n) : static_cast<void>(0)));
    }

    template <std::size_t K>
    void destroy_part(std::size_t first, std::size_t n) noexcept {
        if constexpr (!std::is_trivially_destructible_v<part<K>>)
            for (std::size_t i = 0; i < n; ++i)
                std::destroy_at(at<K>(first + i));
    }

    template <std::size_t... K>
    void copy_parts(std::index_sequence<K...>, std::size_t to, const row_memory& from,
                    std::size_t first, std::size_t n) {
        begun guard{*this, to, n};
        (..., (copy_part<K>(to, from, first, n), ++guard.parts));
    }

    template <std::size_t K>
    void copy_part(std::size_t to, const row_memory& from, std::size_t first, std::size_t n) {
        if constexpr (is_bytes<K>) {
            if (n != 0)
                std::memcpy(address<K>(to), from.template address<K>(first), n * sizeof(part<K>));
        } else {
            struct elements {
                row_memory& memory;
                std::size_t first, done = 0;
                bool whole = false;
                ~elements() {
                    if (!whole)
                        memory.template destroy_part<K>(first, done);
                }
            } guard{*this, to};
            for (; guard.done < n; ++guard.done)
                ::new (address<K>(to + guard.done))
                    part<K>(std::as_const(*from.template at<K>(first + guard.done)));
            guard.whole = true;
        }
    }

    template <std::size_t... K>
    void relocate_parts(std::index_sequence<K...>, std::size_t to, row_memory& from,
                        std::size_t first, std::size_t n) noexcept {
        (..., relocate_part<K>(to, from, first, n));
    }

    template <std::size_t K>
    void relocate_part(std::size_t to, row_memory& from, std::size_t first,
                       std::size_t n) noexcept {
        if constexpr (is_bytes<K>) {
            if (n != 0)
                std::memmove(address<K>(to), from.template address<K>(first), n * sizeof(part<K>));
        } else if (&from == this && to > first) {
            while (n-- != 0)
                relocate_one<K>(to + n, from, first + n);
        } else {
            for (std::size_t i = 0; i < n; ++i)
                relocate_one<K>(to + i, from, first + i);
        }
    }

    template <std::size_t K>
    void relocate_one(std::size_t to, row_memory& from, std::size_t row) noexcept {
        part<K>* old = from.template at<K>(row);
        ::new (address<K>(to)) part<K>(std::move(*old));
        std::destroy_at(old);
    }

    /// For writing to raw memory: a part may be const.
    template <std::size_t K>
    [[nodiscard]] void* address(std::size_t row) const noexcept {
        return const_cast<std::remove_const_t<part<K>>*>(at<K>(row));
    }

    upstream source_;
    std::byte* memory_ = nullptr;
    std::size_t capacity_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
