// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/soa/by.hpp> // IWYU pragma: export
#include <arenite/soa/column_view.hpp>
#include <arenite/soa/layout.hpp> // IWYU pragma: export
#include <arenite/soa/record_iterator.hpp>
#include <arenite/soa/record_reference.hpp>
#include <arenite/soa/row_memory.hpp>
#include <arenite/soa/row_origin.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// A vector of plain objects whose members lie as its layout says: in columns, together, or in
/// short columns block by block. The code that uses it is the same for all three.
///
///     struct particle {
///         vector3 position, velocity;
///         float mass;
///     };
///
///     records<particle, layout::soa> particles; // or layout::aos, layout::aosoa<8>
///     particles.push_back({.position = start, .velocity = {}, .mass = 1});
///     particles[0].get<&particle::mass>() = 2;
///     particles.for_each<&particle::position, &particle::velocity>(
///         [](vector3& position, const vector3& velocity) { position += velocity; });
///     std::ranges::sort(particles, {}, by<&particle::mass>);
///
/// Use when:  loops over many objects touch a few members each. soa where they go through all rows,
///            aos where they pick rows and want all members, aosoa in between; measure by changing
///            the word.
/// Cost:      as a std::vector's; `for_each` and `column` vectorise as over arrays written by hand.
///            A row picked at random costs a cache line for each member that is used, in soa, and
///            one or two in aos.
/// Overhead:  one allocation. Columns end on multiples of 64 bytes: room for up to 63 rows more
///            than asked for, for less than alignment / size of a member aligned wider, than N in
///            aosoa<N>. Growing doubles it.
/// Limits:    T is plain (core/members.hpp says what cannot be; describe<T> is the way out), and
///            can be copied or moves without throwing. In soa and aosoa no T exists: its members
///            do, each begun and ended by itself, and its own destructor is not called.
/// Misuse:    checked builds find rows that are not there, and rows, iterators and columns used
///            after growth or loss of rows.
/// Threads:   one at a time; reading by many.
/// Failure:   out_of_memory, std::bad_array_new_length, or what a member throws; then the records
///            are as they were, if the call was to change the number of rows or their room. Where
///            moving may throw, erasing and inserting copy all rows to new memory for that.
///            Assigning to a row and swapping rows go member by member, and stop where one throws.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.2.1.
template <class T, class Layout = layout::soa>
class records {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "records take an object type that is not const");
    using memory = row_memory<T, Layout>;
    using placement = typename memory::placement;

    /// Rows may be moved about, since nothing can go wrong; else they are copied to new memory.
    static constexpr bool moves = memory::moves;
    static_assert(
        moves || memory::copies,
        "records take types that can be copied, or that move without throwing (noexcept)");

public:
    using value_type = T;
    using layout_type = Layout;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = record_reference<T, Layout>;
    using const_reference = record_reference<T, Layout, true>;
    using iterator = record_iterator<T, Layout>;
    using const_iterator = record_iterator<T, Layout, true>;

    /// Allocates nothing before the first row.
    explicit records(upstream source = &system_resource()) noexcept : memory_{source} {}

    /// That many rows of T{}.
    explicit records(size_type rows, upstream source = &system_resource()) : records{source} {
        resize(rows);
    }

    records(std::initializer_list<T> rows, upstream source = &system_resource()) : records{source} {
        reserve(rows.size());
        for (const T& row : rows)
            push_back(row);
    }

    /// A copy, from the resource of the original unless another is named.
    records(const records& other)
        requires(memory::copies)
        : records{other, other.source()} {}
    records(const records& other, upstream source)
        requires(memory::copies)
        : memory_{other.size(), source} {
        memory_.copy(0, other.memory_, 0, other.size());
        state_.size = other.size();
    }

    /// Takes rows and resource over; leaves none.
    records(records&& other) noexcept : memory_{std::move(other.memory_)} {
        state_.size = std::exchange(other.state_.size, 0);
        other.state_.invalidate();
    }

    /// Keeps its own resource.
    records& operator=(const records& other)
        requires(memory::copies)
    {
        if (this != &other)
            *this = records{other, source()};
        return *this;
    }
    records& operator=(records&& other) noexcept {
        if (this != &other) {
            clear();
            memory_ = std::move(other.memory_);
            state_.size = std::exchange(other.state_.size, 0);
            other.state_.invalidate();
        }
        return *this;
    }

    ~records() { memory_.destroy(0, size()); }

    /// Exchanges rows and resources.
    void swap(records& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(state_.size, other.state_.size);
        state_.invalidate();
        other.state_.invalidate();
    }
    friend void swap(records& a, records& b) noexcept { a.swap(b); }

    // ---- how many -------------------------------------------------------------------------------
    [[nodiscard]] ARENITE_INLINE size_type size() const noexcept { return state_.size; }
    [[nodiscard]] ARENITE_INLINE bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] size_type capacity() const noexcept { return memory_.capacity(); }
    [[nodiscard]] static constexpr size_type max_size() noexcept { return memory::max_rows; }

    /// What it has taken from its resource.
    [[nodiscard]] size_type bytes_reserved() const noexcept { return memory_.bytes(); }
    [[nodiscard]] upstream source() const noexcept { return memory_.source(); }

    // ---- rows -----------------------------------------------------------------------------------
    [[nodiscard]] ARENITE_INLINE reference operator[](size_type row) noexcept(!checks_enabled) {
        check(row);
        return {origin(), row};
    }
    [[nodiscard]] ARENITE_INLINE const_reference operator[](size_type row) const
        noexcept(!checks_enabled) {
        check(row);
        return {origin(), row};
    }
    [[nodiscard]] reference front() { return (*this)[0]; }
    [[nodiscard]] const_reference front() const { return (*this)[0]; }
    [[nodiscard]] reference back() { return (*this)[size() - 1]; }
    [[nodiscard]] const_reference back() const { return (*this)[size() - 1]; }

    [[nodiscard]] ARENITE_INLINE iterator begin() noexcept { return {origin(), 0}; }
    [[nodiscard]] ARENITE_INLINE iterator end() noexcept { return {origin(), size()}; }
    [[nodiscard]] ARENITE_INLINE const_iterator begin() const noexcept { return {origin(), 0}; }
    [[nodiscard]] ARENITE_INLINE const_iterator end() const noexcept { return {origin(), size()}; }
    [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
    [[nodiscard]] const_iterator cend() const noexcept { return end(); }

    // ---- columns --------------------------------------------------------------------------------

    /// One member of all rows.
    template <auto Member>
    [[nodiscard]] ARENITE_INLINE column_view<T, Layout, Member> column() noexcept {
        return {origin(), size()};
    }
    template <auto Member>
    [[nodiscard]] ARENITE_INLINE column_view<T, Layout, Member, true> column() const noexcept {
        return {origin(), size()};
    }

    /// One member of all rows as an array, aligned to 64 bytes. Only in layout::soa.
    template <auto Member>
    [[nodiscard]] auto contiguous_column() noexcept {
        return std::span{column_begin<Member>(), size()};
    }
    template <auto Member>
    [[nodiscard]] auto contiguous_column() const noexcept {
        const auto* begin = column_begin<Member>();
        return std::span{begin, size()};
    }

    /// f(a, b) with references to these members of each row, in order. It may change them, but not
    /// the number of rows.
    template <auto... Members, class F>
    ARENITE_INLINE void for_each(F f) {
        for_each_row<false, Members...>(f);
    }
    template <auto... Members, class F>
    ARENITE_INLINE void for_each(F f) const {
        for_each_row<true, Members...>(f);
    }

    // ---- more rows ------------------------------------------------------------------------------

    /// Room for so many rows in all, so that adding them moves none.
    void reserve(size_type rows) {
        if (rows > capacity())
            rebuild(memory{rows, source()}, size(), 0, 0, no_rows);
    }

    /// reserve, but false instead of out_of_memory and std::bad_array_new_length.
    [[nodiscard]] bool try_reserve(size_type rows) noexcept(moves) {
        if (rows <= capacity())
            return true;
        memory fresh{source()};
        if (!fresh.try_allocate(rows))
            return false;
        rebuild(std::move(fresh), size(), 0, 0, no_rows);
        return true;
    }

    /// Gives back what it has more than it needs, but for what rounds a column up.
    void shrink_to_fit() {
        memory fresh{size(), source()};
        if (fresh.capacity() < capacity())
            rebuild(std::move(fresh), size(), 0, 0, no_rows);
    }

    /// The value may be, or be made of, members of this container's own rows.
    void push_back(const T& value) { append(value); }
    void push_back(T&& value) { append(std::move(value)); }
    template <class... Args>
    reference emplace_back(Args&&... args) {
        append(made(std::forward<Args>(args)...));
        return {origin(), size() - 1};
    }

    /// A row before the one at `where`; where it is then.
    iterator insert(const_iterator where, T value) {
        const size_type at = position(where, size());
        const auto fill = [&](memory& m) { m.construct(at, std::move(value)); };
        if (moves && size() < capacity()) {
            if constexpr (moves) {
                memory_.relocate(at + 1, memory_, at, size() - at);
                fill(memory_);
                ++state_.size;
                state_.invalidate();
            }
        } else {
            rebuild(memory{grown(1), source()}, at, 0, 1, fill);
        }
        return {origin(), at};
    }
    template <class... Args>
    iterator emplace(const_iterator where, Args&&... args) {
        return insert(where, made(std::forward<Args>(args)...));
    }

    /// Ends rows at the end, or adds rows of T{}.
    void resize(size_type rows) {
        resize_with(rows, [](memory& m, size_type row) { m.construct(row, T{}); });
    }
    /// Ends rows at the end, or adds copies of a value.
    void resize(size_type rows, const T& value)
        requires std::copy_constructible<T>
    {
        resize_with(rows, [&value](memory& m, size_type row) { m.construct(row, value); });
    }

    // ---- less rows ------------------------------------------------------------------------------
    void pop_back() {
        check(size() - 1);
        end_from(size() - 1);
    }
    void clear() noexcept { end_from(0); }

    /// Ends a row and moves those behind it up; where the next one is then.
    iterator erase(const_iterator where) {
        const size_type at = position(where, size() - 1);
        check(at);
        return erase_rows(at, 1);
    }
    iterator erase(const_iterator first, const_iterator last) {
        const size_type end = position(last, size());
        return erase_rows(position(first, end), end - first.row());
    }

    /// Ends a row and moves the last one to its place: what is behind it stays where it is.
    void swap_erase(size_type row) {
        check(row);
        const size_type last = size() - 1;
        if (row == last) {
            end_from(last);
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
    void swap_erase(const_iterator where) { swap_erase(position(where, size())); }

private:
    /// Rows that live, ended with it unless there are none any more.
    struct rows_alive {
        memory& of;
        size_type first, count = 0;
        ~rows_alive() { of.destroy(first, count); }
    };

    static constexpr auto no_rows = [](memory&) {};

    [[nodiscard]] ARENITE_INLINE row_origin origin() const noexcept {
        return {memory_.memory(), memory_.capacity(), state_};
    }

    ARENITE_INLINE void check([[maybe_unused]] size_type row) const noexcept(!checks_enabled) {
        if (checks_enabled && row + 1 == 0)
            contract_violation("records of 0 rows have no last row");
        if (checks_enabled && row >= size())
            contract_violation_f(std::source_location::current(),
                                 "there is no row %zu in records of %zu rows", row, size());
    }

    /// The row of an iterator, which must be of these records and not behind `most`.
    [[nodiscard]] ARENITE_INLINE size_type position(const_iterator where,
                                                    [[maybe_unused]] size_type most) const {
        where.origin().check("iterator", origin());
        if constexpr (checks_enabled)
            if (where.row() > most)
                contract_violation_f(std::source_location::current(),
                                     "this iterator is at row %zu, which is not before row %zu",
                                     where.row(), most + 1);
        return where.row();
    }

    /// The capacity that so many more rows lead to; above max_size() where they do not fit.
    [[nodiscard]] size_type grown(size_type more) const noexcept {
        return std::max(size() + more, std::min(size() * 2, max_size()));
    }

// Members that are not named have their defaults: that is what is wanted here.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE static T made(Args&&... args) {
        return T(std::forward<Args>(args)...);
    }
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif

    template <class V>
    ARENITE_INLINE void append(V&& value) {
        if (size() < capacity()) [[likely]] {
            memory_.construct(size(), std::forward<V>(value));
            ++state_.size;
        } else {
            append_growing(std::forward<V>(value));
        }
    }

    template <class V>
    ARENITE_NOINLINE void append_growing(V&& value) {
        const size_type at = size();
        rebuild(memory{grown(1), source()}, at, 0, 1,
                [&](memory& m) { m.construct(at, std::forward<V>(value)); });
    }

    /// Changes to new memory: begins `gap` rows there at `at` by fill, which may look at the old
    /// ones, then brings the rows before `at`, and those behind the `skipped` next ones but for the
    /// last `left`. Rows are skipped or left only where they are copied; then all old ones end.
    template <class Fill>
    void rebuild(memory&& fresh, size_type at, size_type skipped, size_type gap, const Fill& fill,
                 size_type left = 0) {
        const size_type behind = size() - at - skipped - left;
        fill(fresh);
        if constexpr (moves) {
            fresh.relocate(0, memory_, 0, at);
            fresh.relocate(at + gap, memory_, at + skipped, behind);
        } else {
            rows_alive filled{fresh, at, gap};
            fresh.copy(0, memory_, 0, at);
            rows_alive before{fresh, 0, at};
            fresh.copy(at + gap, memory_, at + skipped, behind);
            filled.count = before.count = 0;
            memory_.destroy(0, size());
        }
        memory_ = std::move(fresh);
        state_.size = at + gap + behind;
        state_.invalidate();
    }

    template <class Construct>
    void resize_with(size_type rows, const Construct& construct) {
        if (rows <= size())
            return end_from(rows);
        const size_type at = size();
        const size_type more = rows - at;
        const auto fill = [&](memory& m) {
            rows_alive begun{m, at};
            for (; begun.count < more; ++begun.count)
                construct(m, at + begun.count);
            begun.count = 0;
        };
        if (rows <= capacity()) {
            fill(memory_);
            state_.size = rows;
        } else {
            rebuild(memory{grown(more), source()}, at, 0, more, fill);
        }
    }

    void end_from(size_type row) noexcept {
        if (row == size())
            return;
        memory_.destroy(row, size() - row);
        state_.size = row;
        state_.invalidate();
    }

    iterator erase_rows(size_type at, size_type count) {
        if (count == 0)
            return {origin(), at};
        if constexpr (moves) {
            memory_.destroy(at, count);
            memory_.relocate(at, memory_, at + count, size() - at - count);
            state_.size -= count;
            state_.invalidate();
        } else {
            rebuild(memory{capacity(), source()}, at, count, 0, no_rows);
        }
        return {origin(), at};
    }

    template <auto Member>
    [[nodiscard]] auto* column_begin() const noexcept {
        constexpr bool contiguous = placement::contiguous_parts && !placement::whole_objects;
        static_assert(contiguous, "only layout::soa has a member of all rows in one array: use "
                                  "column, which every layout has");
        constexpr std::size_t index = members_of<T>::template index<Member>;
        if constexpr (contiguous)
            return memory_.template at<index>(0);
        else
            return static_cast<typename members_of<T>::template type<index>*>(nullptr);
    }

    template <bool Const, auto... Members, class F>
    ARENITE_INLINE void for_each_row(F& f) const {
        static_assert(sizeof...(Members) != 0, "for_each wants members: for_each<&T::a, &T::b>(f)");
        const size_type rows = size();
        if constexpr (placement::whole_objects) {
            static_cast<void>((members_of<T>::template index<Members> + ...));
            using object = std::conditional_t<Const, const T, T>;
            object* all = memory_.template at<0>(0);
            for (size_type row = 0; row < rows; ++row)
                f(all[row].*Members...);
        } else if constexpr (placement::contiguous_parts) {
            for_each_element<Const>(f, rows, column_begin<Members>()...);
        } else {
            constexpr size_type block = placement::granule_rows;
            size_type row = 0;
            for (; row + block <= rows; row += block)
                for_each_element<Const>(
                    f, block, memory_.template at<members_of<T>::template index<Members>>(row)...);
            for_each_element<Const>(
                f, rows - row, memory_.template at<members_of<T>::template index<Members>>(row)...);
        }
    }

    template <bool Const, class F, class... M>
    ARENITE_INLINE static void for_each_element(F& f, size_type rows, M*... columns) {
        for (size_type row = 0; row < rows; ++row)
            f(static_cast<std::conditional_t<Const, const M, M>&>(columns[row])...);
    }

    memory memory_;
    row_origin::state state_;
};

} // namespace ARENITE_ABI
} // namespace arenite
