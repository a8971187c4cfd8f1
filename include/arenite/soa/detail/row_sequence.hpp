// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/soa/detail/row_memory.hpp>
#include <arenite/soa/detail/row_origin.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Rows by their numbers, and the capacity for them: the middle layer of `records`.
///
///     memory   | row 0 | row 1 |...| row size-1 | room |
///              insert(at, n, fill)  opens a gap of n rows, constructed by fill(memory, row)
///
/// Knows which rows are alive, grows, and keeps the promise that a failed call changes nothing.
/// Rows are moved if that cannot throw; otherwise all are copied to new memory, and the old ones
/// destroyed.
///
/// Misuse:    the caller checks row numbers.
/// Threads:   one at a time; reading by many.
/// Failure:   out_of_memory, std::bad_array_new_length, or what a row throws; nothing changes.
template <class T, class Layout>
class row_sequence {
public:
    using memory = row_memory<T, Layout>;
    using placement = typename memory::placement;
    using size_type = std::size_t;

    /// Rows may be moved in place, since moving cannot throw.
    static constexpr bool moves = memory::moves;

    explicit row_sequence(upstream source) noexcept : memory_{source} {}

    row_sequence(const row_sequence& other, upstream source) : memory_{other.size(), source} {
        memory_.copy(0, other.memory_, 0, other.size());
        state_.size = other.size();
    }

    row_sequence(row_sequence&& other) noexcept : memory_{std::move(other.memory_)} {
        state_.size = std::exchange(other.state_.size, 0);
        other.state_.invalidate();
    }
    row_sequence& operator=(row_sequence&& other) noexcept {
        if (this != &other) {
            truncate(0);
            memory_ = std::move(other.memory_);
            state_.size = std::exchange(other.state_.size, 0);
            state_.invalidate();
            other.state_.invalidate();
        }
        return *this;
    }

    ~row_sequence() { memory_.destroy(0, size()); }

    void swap(row_sequence& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(state_.size, other.state_.size);
        state_.invalidate();
        other.state_.invalidate();
    }

    [[nodiscard]] ARENITE_INLINE size_type size() const noexcept { return state_.size; }
    [[nodiscard]] ARENITE_INLINE size_type capacity() const noexcept { return memory_.capacity(); }
    [[nodiscard]] size_type bytes() const noexcept { return memory_.bytes(); }
    [[nodiscard]] upstream source() const noexcept { return memory_.source(); }
    [[nodiscard]] ARENITE_INLINE row_origin origin() const noexcept {
        return {memory_.memory(), memory_.capacity(), state_};
    }

    /// The K-th part of a row.
    template <std::size_t K>
    [[nodiscard]] ARENITE_INLINE auto* at(size_type row) const noexcept {
        return memory_.template at<K>(row);
    }

    // ---- all rows -------------------------------------------------------------------------------

    /// One member of all rows as an array.
    template <auto Member>
    [[nodiscard]] auto* column() const noexcept {
        constexpr bool contiguous = placement::contiguous_parts && !placement::whole_objects;
        static_assert(contiguous, "only layout::soa has a member of all rows in one array: use "
                                  "column, which every layout has");
        constexpr std::size_t index = members_of<T>::template index<Member>;
        if constexpr (contiguous)
            return memory_.template at<index>(0);
        else
            return static_cast<typename members_of<T>::template type<index>*>(nullptr);
    }

    /// Calls f(a, b) with references to these members of each row, in order; to const if Const.
    template <bool Const, auto... Members, class F>
    ARENITE_INLINE void for_each(F& f) const {
        static_assert(sizeof...(Members) != 0, "for_each wants members: for_each<&T::a, &T::b>(f)");
        const size_type rows = size();
        if constexpr (placement::whole_objects) {
            static_cast<void>((members_of<T>::template index<Members> + ...));
            using object = std::conditional_t<Const, const T, T>;
            object* all = memory_.template at<0>(0);
            for (size_type row = 0; row < rows; ++row)
                f(all[row].*Members...);
        } else if constexpr (placement::contiguous_parts) {
            for_each_element<Const>(f, rows, column<Members>()...);
        } else {
            constexpr size_type block = placement::granule_rows;
            size_type row = 0;
            for (; row + block <= rows; row += block)
                for_each_in_block<Const, block>(
                    f, memory_.template at<members_of<T>::template index<Members>>(row)...);
            for_each_element<Const>(
                f, rows - row, memory_.template at<members_of<T>::template index<Members>>(row)...);
        }
    }

    void list_regions(region_sink& sink) const { memory_.list_regions(sink, size()); }

    // ---- room -----------------------------------------------------------------------------------

    void reserve(size_type rows) {
        if (rows > capacity())
            rebuild(memory{rows, source()}, size(), 0, 0, no_rows);
    }

    /// reserve(), but returns false instead of throwing out_of_memory or std::bad_array_new_length.
    [[nodiscard]] bool try_reserve(size_type rows) noexcept(moves) {
        if (rows <= capacity())
            return true;
        memory fresh{source()};
        if (!fresh.try_allocate(rows))
            return false;
        rebuild(std::move(fresh), size(), 0, 0, no_rows);
        return true;
    }

    void shrink_to_fit() {
        memory fresh{size(), source()};
        if (fresh.capacity() < capacity())
            rebuild(std::move(fresh), size(), 0, 0, no_rows);
    }

    // ---- more rows ------------------------------------------------------------------------------

    template <class V>
    ARENITE_INLINE void append(V&& value) {
        if (size() < capacity()) [[likely]] {
            memory_.construct(size(), std::forward<V>(value));
            ++state_.size;
        } else {
            append_growing(std::forward<V>(value));
        }
    }

    /// Opens a gap of `count` rows before the one at `at`: construct(memory, row) constructs each
    /// of them, in order. It may read the existing rows, which stay where they were meanwhile.
    template <class Construct>
    void insert(size_type at, size_type count, const Construct& construct) {
        if (count == 0)
            return;
        const auto fill_at = [&](memory& m, size_type first) {
            rows_alive begun{m, first};
            for (; begun.count < count; ++begun.count)
                construct(m, first + begun.count);
            begun.count = 0;
        };
        if (count > capacity() - size()) {
            rebuild(memory{grown(count), source()}, at, 0, count,
                    [&](memory& m) { fill_at(m, at); });
        } else if (at == size()) {
            fill_at(memory_, at);
            state_.size += count;
        } else if constexpr (moves) {
            memory apart{count, source()};
            fill_at(apart, 0);
            open_gap(at, count);
            memory_.relocate(at, apart, 0, count);
        } else {
            rebuild(memory{capacity(), source()}, at, 0, count, [&](memory& m) { fill_at(m, at); });
        }
    }

    /// Inserts a row before the one at `at`; the value is not one of these rows.
    void insert(size_type at, T&& value) {
        const bool has_room = size() < capacity();
        if (has_room && at == size()) {
            memory_.construct(at, std::move(value));
            ++state_.size;
            return;
        }
        if constexpr (moves) {
            if (has_room) {
                open_gap(at, 1);
                memory_.construct(at, std::move(value));
                return;
            }
        }
        rebuild(memory{has_room ? capacity() : grown(1), source()}, at, 0, 1,
                [&](memory& m) { m.construct(at, std::move(value)); });
    }

    // ---- fewer rows -----------------------------------------------------------------------------

    /// Removes all rows from `row` on.
    void truncate(size_type row) noexcept {
        if (row == size())
            return;
        memory_.destroy(row, size() - row);
        state_.size = row;
        state_.invalidate();
    }

    void erase(size_type at, size_type count) {
        if (count == 0)
            return;
        if constexpr (moves) {
            memory_.destroy(at, count);
            memory_.relocate(at, memory_, at + count, size() - at - count);
            state_.size -= count;
            state_.invalidate();
        } else {
            rebuild(memory{capacity(), source()}, at, count, 0, no_rows);
        }
    }

    /// Removes a row, and moves the last one into its place.
    void swap_erase(size_type row) {
        const size_type last = size() - 1;
        if (row == last) {
            truncate(last);
        } else if constexpr (moves) {
            memory_.destroy(row, 1);
            memory_.relocate(row, memory_, last, 1);
            --state_.size;
            state_.invalidate();
        } else {
            rebuild(
                memory{capacity(), source()}, row, 1, 1,
                [&](memory& m) { m.copy(row, memory_, last, 1); }, 1);
        }
    }

    /// Removes the rows for which doomed(row) is true; it is called once for each, in order.
    /// Returns their number. What doomed() throws is passed on; rows found so far are gone if rows
    /// can be moved without throwing, otherwise none is.
    template <class Doomed>
    size_type erase_if(Doomed doomed) {
        const size_type before = size();
        if constexpr (moves) {
            gap between{*this};
            while (between.end < before) {
                size_type next = between.end;
                while (next < before && !doomed(next))
                    ++next;
                between.move_down(next);
                if (next < before)
                    between.take_in();
            }
        } else {
            memory fresh{capacity(), source()};
            rows_alive kept{fresh, 0};
            for (size_type row = 0; row < before; ++row) {
                if (doomed(row))
                    continue;
                fresh.copy(kept.count, memory_, row, 1);
                ++kept.count;
            }
            if (kept.count != before) {
                memory_.destroy(0, before);
                memory_ = std::move(fresh);
                state_.size = std::exchange(kept.count, 0);
                state_.invalidate();
            }
        }
        return before - size();
    }

private:
    /// Rows that are alive: destroyed with this, unless it holds none any more.
    struct rows_alive {
        memory& of;
        size_type first, count = 0;
        ~rows_alive() { of.destroy(first, count); }
    };

    /// Removed rows between those that are in their final place and those not looked at yet; closed
    /// at the end.
    struct gap {
        row_sequence& of;
        size_type begin = 0, end = 0;

        ~gap() {
            if (begin == end)
                return;
            const size_type size = of.size() - (end - begin);
            move_down(of.size());
            of.state_.size = size;
            of.state_.invalidate();
        }
        void move_down(size_type to) noexcept {
            if (begin != end)
                of.memory_.relocate(begin, of.memory_, end, to - end);
            begin += to - end;
            end = to;
        }
        void take_in() noexcept { of.memory_.destroy(end++, 1); }
    };

    template <bool Const, class F, class... M>
    ARENITE_INLINE static void for_each_element(F& f, size_type rows, M*... columns) {
        for (size_type row = 0; row < rows; ++row)
            f(static_cast<std::conditional_t<Const, const M, M>&>(columns[row])...);
    }

    /// g++ at -O3 would unroll so short a loop before it looks for vectors in it, and find none.
    template <bool Const, size_type Rows, class F, class... M>
    ARENITE_INLINE static void for_each_in_block(F& f, M*... columns) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1
#endif
        for (size_type row = 0; row < Rows; ++row)
            f(static_cast<std::conditional_t<Const, const M, M>&>(columns[row])...);
    }

    static constexpr auto no_rows = [](memory&) {};

    /// The capacity after adding `more` rows; above max_rows if they do not fit.
    [[nodiscard]] size_type grown(size_type more) const noexcept {
        constexpr size_type most = memory::max_rows;
        return std::max(size() + std::min(more, most + 1), std::min(size() * 2, most));
    }

    template <class V>
    ARENITE_NOINLINE void append_growing(V&& value) {
        const size_type at = size();
        rebuild(memory{grown(1), source()}, at, 0, 1,
                [&](memory& m) { m.construct(at, std::forward<V>(value)); });
    }

    /// Requires capacity and moves that cannot throw; the rows of the gap must be constructed at
    /// once.
    void open_gap(size_type at, size_type count) noexcept {
        memory_.relocate(at + count, memory_, at, size() - at);
        state_.size += count;
        state_.invalidate();
    }

    /// Switches to new memory: constructs `added` rows there at `at` by fill, which may read the
    /// old ones, then transfers the rows before `at`, and those behind the next `skipped` ones
    /// except for the last `left`. Rows are skipped or left only if they are copied; then all old
    /// ones are destroyed.
    template <class Fill>
    void rebuild(memory&& fresh, size_type at, size_type skipped, size_type added, const Fill& fill,
                 size_type left = 0) {
        const size_type behind = size() - at - skipped - left;
        fill(fresh);
        if constexpr (moves) {
            fresh.relocate(0, memory_, 0, at);
            fresh.relocate(at + added, memory_, at + skipped, behind);
        } else {
            rows_alive filled{fresh, at, added};
            fresh.copy(0, memory_, 0, at);
            rows_alive before{fresh, 0, at};
            fresh.copy(at + added, memory_, at + skipped, behind);
            filled.count = before.count = 0;
            memory_.destroy(0, size());
        }
        memory_ = std::move(fresh);
        state_.size = at + added + behind;
        state_.invalidate();
    }

    memory memory_;
    row_origin::state state_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
