// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/ranges.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/soa/by.hpp> // IWYU pragma: export
#include <arenite/soa/column_view.hpp>
#include <arenite/soa/detail/record_iterator.hpp>
#include <arenite/soa/detail/row_origin.hpp>
#include <arenite/soa/detail/row_sequence.hpp>
#include <arenite/soa/layout.hpp> // IWYU pragma: export
#include <arenite/soa/record_reference.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// A vector of plain objects whose members are stored as its layout says: in columns, together, or
/// in short columns block by block. Code that uses it is the same for all three.
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
/// Use when:  loops over many objects touch a few members each. soa for loops over all rows, aos
///            for random access to whole rows, aosoa in between; measure by changing that word.
/// Cost:      as a std::vector; `for_each` and `column` vectorise like loops over hand-written
///            arrays. Random access to a row costs a cache line for each member used in soa, one or
///            two in aos.
/// Overhead:  one allocation. Columns end on multiples of 64 bytes: room for up to 63 rows more
///            than requested, for less than alignment / size of a member aligned wider, than N in
///            aosoa<N>. Growing doubles the capacity.
/// Limits:    T is plain (core/members.hpp says what cannot be; describe<T> is the way out), and
///            can be copied or moves without throwing. In soa and aosoa no T exists: each of its
///            members is constructed and destroyed by itself, and the destructor of T is not
///            called.
/// Misuse:    checked builds find rows out of range, and rows, iterators and columns used after
///            rows were added or removed.
/// Threads:   one at a time; reading by many.
/// Failure:   out_of_memory, std::bad_array_new_length, or what a member throws; then the records
///            are unchanged, if the call was to change the number of rows or the capacity. If
///            moving may throw, erasing and inserting copy all rows to new memory to ensure this.
///            Assigning to a row and swapping rows go member by member, and stop where one throws.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.2.1.
template <class T, class Layout = layout::soa>
class records final {
    static_assert(
        requires { sizeof(T); },
        "this type is only declared here; records need its members: define it before");
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "records take an object type that is not const");
    using rows_type = detail::row_sequence<T, Layout>;
    using memory = typename rows_type::memory;
    using placement = typename memory::placement;
    static constexpr bool moves = memory::moves;
    static constexpr bool comparable = placement::whole_objects || memory::copies;
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
    using iterator = detail::record_iterator<T, Layout>;
    using const_iterator = detail::record_iterator<T, Layout, true>;

    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    /// Allocates nothing before the first row.
    explicit records(upstream source = &system_resource()) noexcept : rows_{source} {}

    /// `rows` rows of T{}.
    explicit records(size_type rows, upstream source = &system_resource()) : records{source} {
        resize(rows);
    }
    /// `rows` copies of `value`.
    records(size_type rows, const T& value, upstream source = &system_resource())
        requires std::copy_constructible<T>
        : records{source} {
        resize(rows, value);
    }

    records(std::initializer_list<T> rows, upstream source = &system_resource()) : records{source} {
        append_range(rows);
    }

    template <std::input_iterator I, std::sentinel_for<I> S>
    records(I first, S last, upstream source = &system_resource()) : records{source} {
        append_range(detail::iterator_range{std::move(first), std::move(last)});
    }

    /// A copy, from the resource of the original unless another is given.
    records(const records& other)
        requires(memory::copies)
        : records{other, other.source()} {}
    records(const records& other, upstream source)
        requires(memory::copies)
        : rows_{other.rows_, source} {}

    /// Takes over rows and resource; `other` has no rows then.
    records(records&& other) noexcept = default;

    /// Copies the rows; keeps its own resource.
    records& operator=(const records& other)
        requires(memory::copies)
    {
        if (this != &other)
            *this = records{other, source()};
        return *this;
    }
    records& operator=(records&& other) noexcept = default;

    ~records() = default;

    /// Exchanges rows and resources.
    void swap(records& other) noexcept { rows_.swap(other.rows_); }
    friend void swap(records& a, records& b) noexcept { a.swap(b); }

    /// Replaces all rows, using the same resource. The new rows are made in new memory, so they may
    /// be made of the old ones; clear() and append_range() reuse the existing memory instead.
    void assign(size_type rows, const T& value)
        requires std::copy_constructible<T>
    {
        *this = records(rows, value, source());
    }
    template <detail::InputRange Range>
    void assign_range(Range&& range) {
        records fresh{source()};
        fresh.append_range(std::forward<Range>(range));
        *this = std::move(fresh);
    }
    template <std::input_iterator I, std::sentinel_for<I> S>
    void assign(I first, S last) {
        assign_range(detail::iterator_range{std::move(first), std::move(last)});
    }
    void assign(std::initializer_list<T> rows) { assign_range(rows); }

    // ---- how many -------------------------------------------------------------------------------
    [[nodiscard]] ARENITE_INLINE size_type size() const noexcept { return rows_.size(); }
    [[nodiscard]] ARENITE_INLINE bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] size_type capacity() const noexcept { return rows_.capacity(); }
    [[nodiscard]] static constexpr size_type max_size() noexcept { return memory::max_rows; }

    /// Bytes it holds from its resource.
    [[nodiscard]] size_type bytes_reserved() const noexcept { return rows_.bytes(); }
    [[nodiscard]] upstream source() const noexcept { return rows_.source(); }

    /// Each row counts as one allocation, of its members' bytes without padding between them.
    [[nodiscard]] arenite::usage usage() const noexcept {
        return {.bytes_in_use = size() * memory::row_bytes,
                .bytes_reserved = bytes_reserved(),
                .live_allocations = size()};
    }
    void list_regions(region_sink& sink) const { rows_.list_regions(sink); }

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
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator{end()}; }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator{begin()}; }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept {
        return const_reverse_iterator{end()};
    }
    [[nodiscard]] const_reverse_iterator rend() const noexcept {
        return const_reverse_iterator{begin()};
    }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    // ---- columns --------------------------------------------------------------------------------

    /// One member of all rows, as a range.
    template <auto Member>
    [[nodiscard]] ARENITE_INLINE column_view<T, Layout, Member> column() noexcept {
        return {origin(), size()};
    }
    template <auto Member>
    [[nodiscard]] ARENITE_INLINE column_view<T, Layout, Member, true> column() const noexcept {
        return {origin(), size()};
    }

    /// One member of all rows as a span, aligned to 64 bytes. Only in layout::soa.
    template <auto Member>
    [[nodiscard]] auto contiguous_column() noexcept {
        return std::span{rows_.template column<Member>(), size()};
    }
    template <auto Member>
    [[nodiscard]] auto contiguous_column() const noexcept {
        const auto* begin = rows_.template column<Member>();
        return std::span{begin, size()};
    }

    /// Calls f(a, b) with references to these members of each row, in order. f may change them, but
    /// not the number of rows.
    template <auto... Members, class F>
    ARENITE_INLINE void for_each(F f) {
        rows_.template for_each<false, Members...>(f);
    }
    template <auto... Members, class F>
    ARENITE_INLINE void for_each(F f) const {
        rows_.template for_each<true, Members...>(f);
    }

    // ---- more rows ------------------------------------------------------------------------------

    /// Makes room for `rows` rows in total, so that adding them moves none.
    void reserve(size_type rows) { rows_.reserve(rows); }

    /// reserve(), but returns false instead of throwing out_of_memory or std::bad_array_new_length.
    [[nodiscard]] bool try_reserve(size_type rows) noexcept(moves) {
        return rows_.try_reserve(rows);
    }

    /// Returns unused capacity, except what rounds a column up.
    void shrink_to_fit() { rows_.shrink_to_fit(); }

    /// The value may be, or be made of, members of this container's own rows.
    void push_back(const T& value) { rows_.append(value); }
    void push_back(T&& value) { rows_.append(std::move(value)); }
    template <class... Args>
    reference emplace_back(Args&&... args) {
        rows_.append(made(std::forward<Args>(args)...));
        return {origin(), size() - 1};
    }

    /// Appends the elements of a range: objects, or rows of any records of T, also of these.
    template <detail::InputRange Range>
    void append_range(Range&& range) {
        insert_rows(size(), std::forward<Range>(range));
    }

    /// Inserts a row before the one at `where`; returns its position.
    iterator insert(const_iterator where, T value) {
        const size_type at = position(where, size());
        rows_.insert(at, std::move(value));
        return {origin(), at};
    }
    template <class... Args>
    iterator emplace(const_iterator where, Args&&... args) {
        return insert(where, made(std::forward<Args>(args)...));
    }

    /// Inserts rows before the one at `where`; returns the position of the first. If rows follow,
    /// the new ones are first made in memory of their own, so they may be made of existing rows.
    iterator insert(const_iterator where, size_type rows, const T& value)
        requires std::copy_constructible<T>
    {
        const size_type at = position(where, size());
        rows_.insert(at, rows, [&value](memory& m, size_type row) { m.construct(row, value); });
        return {origin(), at};
    }
    template <detail::InputRange Range>
    iterator insert_range(const_iterator where, Range&& range) {
        const size_type at = position(where, size());
        insert_rows(at, std::forward<Range>(range));
        return {origin(), at};
    }
    template <std::input_iterator I, std::sentinel_for<I> S>
    iterator insert(const_iterator where, I first, S last) {
        return insert_range(where, detail::iterator_range{std::move(first), std::move(last)});
    }
    iterator insert(const_iterator where, std::initializer_list<T> rows) {
        return insert_range(where, rows);
    }

    /// Removes rows at the end, or appends rows of T{}.
    void resize(size_type rows) {
        resize_with(rows, [](memory& m, size_type row) { m.construct(row, T{}); });
    }
    /// Removes rows at the end, or appends copies of a value.
    void resize(size_type rows, const T& value)
        requires std::copy_constructible<T>
    {
        resize_with(rows, [&value](memory& m, size_type row) { m.construct(row, value); });
    }

    // ---- fewer rows -----------------------------------------------------------------------------
    void pop_back() {
        check(size() - 1);
        rows_.truncate(size() - 1);
    }
    void clear() noexcept { rows_.truncate(0); }

    /// Removes a row and moves those behind it up; returns the position of the next one.
    iterator erase(const_iterator where) {
        const size_type at = position(where, size() - 1);
        check(at);
        rows_.erase(at, 1);
        return {origin(), at};
    }
    iterator erase(const_iterator first, const_iterator last) {
        const size_type end = position(last, size());
        const size_type at = position(first, end);
        rows_.erase(at, end - at);
        return {origin(), at};
    }

    /// Removes a row and moves the last one into its place; rows behind it stay where they are.
    void swap_erase(size_type row) {
        check(row);
        rows_.swap_erase(row);
    }
    void swap_erase(const_iterator where) { swap_erase(position(where, size())); }

    /// Removes the rows for which predicate(const_reference) is true; it is called once for each,
    /// in order. Returns their number. If it throws, rows removed so far are gone if rows can be
    /// moved without throwing; otherwise none is.
    template <class Predicate>
    friend size_type erase_if(records& r, Predicate predicate) {
        return r.rows_.erase_if([&](size_type row) {
            return static_cast<bool>(predicate(const_reference{r.origin(), row}));
        });
    }

    // ---- all of them ----------------------------------------------------------------------------

    /// Compares with the operators of T, as vectors do: in soa and aosoa each row is copied to an
    /// object.
    [[nodiscard]] friend bool operator==(const records& a, const records& b)
        requires(comparable && std::equality_comparable<T>)
    {
        if (a.size() != b.size())
            return false;
        for (size_type row = 0; row < a.size(); ++row)
            if (!(a.object(row) == b.object(row)))
                return false;
        return true;
    }
    [[nodiscard]] friend auto operator<=>(const records& a, const records& b)
        requires(comparable && std::three_way_comparable<T>)
    {
        using order = std::compare_three_way_result_t<T>;
        for (size_type row = 0; row < std::min(a.size(), b.size()); ++row)
            if (const order o = a.object(row) <=> b.object(row); o != 0)
                return o;
        return order{a.size() <=> b.size()};
    }

private:
    [[nodiscard]] ARENITE_INLINE detail::row_origin origin() const noexcept {
        return rows_.origin();
    }

    ARENITE_INLINE void check([[maybe_unused]] size_type row) const noexcept(!checks_enabled) {
        if (checks_enabled && row + 1 == 0)
            contract_violation("records of 0 rows have no last row");
        if (checks_enabled && row >= size())
            contract_violation_f(std::source_location::current(),
                                 "there is no row %zu in records of %zu rows", row, size());
    }

    /// The row of an iterator, which must belong to these records and not lie behind `most`.
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

    /// A row as a T: itself if rows are whole objects, else a copy.
    [[nodiscard]] decltype(auto) object(size_type row) const {
        if constexpr (placement::whole_objects)
            return std::as_const(*rows_.template at<0>(row));
        else
            return static_cast<T>(const_reference{origin(), row});
    }

// Members that are not named have their defaults: that is intended here.
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

    /// Inserts a range before the row at `at`. A single-pass range is gathered first.
    template <class Range>
    void insert_rows(size_type at, Range&& range) {
        using element = detail::range_reference<Range>;
        static_assert(std::constructible_from<T, element>,
                      "the elements of a range for records are objects or rows of their type");
        if constexpr (detail::ForwardRange<Range> || detail::SizedRange<Range>) {
            const auto count = static_cast<size_type>(std::ranges::distance(range));
            auto next = std::ranges::begin(range);
            rows_.insert(at, count, [&next](memory& m, size_type row) {
                if constexpr (std::same_as<std::remove_cvref_t<element>, T>)
                    m.construct(row, *next);
                else
                    m.construct(row, static_cast<T>(*next));
                ++next;
            });
        } else {
            records gathered{source()};
            for (auto&& element_of : range)
                gathered.push_back(static_cast<T>(std::forward<decltype(element_of)>(element_of)));
            size_type next = 0;
            rows_.insert(at, gathered.size(), [&](memory& m, size_type row) {
                m.construct(row, gathered[next++].take());
            });
        }
    }

    template <class Construct>
    void resize_with(size_type rows, const Construct& construct) {
        if (rows <= size())
            rows_.truncate(rows);
        else
            rows_.insert(size(), rows - size(), construct);
    }

    rows_type rows_;
};

} // namespace ARENITE_ABI
} // namespace arenite
