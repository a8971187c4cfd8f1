// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/inline_slots.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

template <class T>
struct list_family {
    template <template <class> class Allocator>
    using of = std::list<T, Allocator<T>>;
    [[nodiscard]] static constexpr std::size_t array_bytes(std::size_t) noexcept { return 0; }
};

} // namespace detail

/// A std::list of at most N elements whose nodes are part of the object itself.
///
///     inline_list<int, 16> recent;
///     recent.push_front(7);                       // no allocation, ever
///
/// Use when:  a short list of known size must not allocate; see inline_map.
/// Cost:      that of std::list, and O(1) for a slot. Copy, move, swap, and splice or merge from
///            another list: O(elements), one by one; within one list as std::list.
/// Overhead:  104 bytes and some bits an element, beside std::list and its N nodes.
/// Limits:    N elements; T must be complete where the type is used. There is no get_allocator.
/// Threads:   one at a time, as std::list.
/// Failure:   the element N + 1 is refused by out_of_memory, and nothing changes, except by an
///            assign from iterators that can be read only once; without exceptions the contract
///            handler is called: ask full().
///
/// The interface is std::list's. Since the memory is inside the object, iterators, pointers and
/// references end when their elements move to another list, by a move, a swap, a splice or a merge;
/// a moved-from list is empty. erase_if is called without `std::`; there is no `<=>`.
template <class T, std::size_t N>
class inline_list : private detail::inline_parts<detail::list_family<T>, N>::memory,
                    private detail::inline_parts<detail::list_family<T>, N>::container {
    using memory = typename detail::inline_parts<detail::list_family<T>, N>::memory;
    using base = typename detail::inline_parts<detail::list_family<T>, N>::container;

public:
    using typename base::const_iterator;
    using typename base::const_pointer;
    using typename base::const_reference;
    using typename base::const_reverse_iterator;
    using typename base::difference_type;
    using typename base::iterator;
    using typename base::pointer;
    using typename base::reference;
    using typename base::reverse_iterator;
    using typename base::size_type;
    using typename base::value_type;

    inline_list() noexcept : base(own_allocator()) {}
    explicit inline_list(size_type n) : inline_list() { base::resize(n); }
    inline_list(size_type n, const T& value) : inline_list() { base::assign(n, value); }
    template <std::input_iterator I>
    inline_list(I first, I last) : inline_list() {
        base::insert(cend(), first, last);
    }
    inline_list(std::initializer_list<T> values) : inline_list(values.begin(), values.end()) {}
    inline_list(const inline_list& o) : inline_list(o.begin(), o.end()) {}
    inline_list(inline_list&& o) noexcept(std::is_nothrow_move_constructible_v<T>) : inline_list() {
        take_all(o);
    }
    inline_list& operator=(const inline_list& o) {
        if (this != &o)
            base::assign(o.begin(), o.end());
        return *this;
    }
    inline_list& operator=(inline_list&& o) noexcept(std::is_nothrow_move_constructible_v<T>) {
        if (this != &o) {
            clear();
            take_all(o);
        }
        return *this;
    }
    inline_list& operator=(std::initializer_list<T> values) {
        assign(values);
        return *this;
    }
    ~inline_list() = default;

    // More than N are refused before the first element is overwritten.

    template <std::input_iterator I>
    void assign(I first, I last) {
        if constexpr (std::forward_iterator<I>)
            refuse_beyond(static_cast<size_type>(std::distance(first, last)));
        base::assign(first, last);
    }
    void assign(size_type n, const T& value) {
        refuse_beyond(n);
        base::assign(n, value);
    }
    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    using base::back;
    using base::begin;
    using base::cbegin;
    using base::cend;
    using base::clear;
    using base::crbegin;
    using base::crend;
    using base::emplace;
    using base::emplace_back;
    using base::emplace_front;
    using base::empty;
    using base::end;
    using base::erase;
    using base::front;
    using base::insert;
    using base::pop_back;
    using base::pop_front;
    using base::push_back;
    using base::push_front;
    using base::rbegin;
    using base::remove;
    using base::remove_if;
    using base::rend;
    using base::resize;
    using base::reverse;
    using base::size;
    using base::sort;
    using base::unique;

    /// How many elements there is room for.
    [[nodiscard]] static constexpr size_type max_size() noexcept { return N; }
    [[nodiscard]] static constexpr size_type capacity() noexcept { return N; }
    /// True if a further element would be refused.
    [[nodiscard]] bool full() const noexcept { return size() == N; }

    /// Puts elements of this or another list before `at`.
    template <std::size_t M>
    void splice(const_iterator at, inline_list<T, M>& other) {
        splice(at, other, other.cbegin(), other.cend());
    }
    template <std::size_t M>
    void splice(const_iterator at, inline_list<T, M>&& other) {
        splice(at, other, other.cbegin(), other.cend());
    }
    template <std::size_t M>
    void splice(const_iterator at, inline_list<T, M>& other,
                typename inline_list<T, M>::const_iterator it) {
        const auto behind = std::next(it);
        if constexpr (N == M) {
            if (&other == this && (at == it || at == behind))
                return; // it is there: `at` must not lie in the range
        }
        splice(at, other, it, behind);
    }
    template <std::size_t M>
    void splice(const_iterator at, inline_list<T, M>& other,
                typename inline_list<T, M>::const_iterator first,
                typename inline_list<T, M>::const_iterator last) {
        if constexpr (N == M) {
            if (&other == this)
                return base::splice(at, *this, first, last);
        }
        if (static_cast<size_type>(std::distance(first, last)) > N - size())
            memory::refuse();
        while (first != last)
            first = take(at, other, first);
    }

    /// Both are sorted; afterwards the other is empty.
    template <std::size_t M, class Compare = std::less<>>
    void merge(inline_list<T, M>& other, Compare less = {}) {
        if constexpr (N == M) {
            if (&other == this)
                return;
        }
        if (other.size() > N - size())
            memory::refuse();
        for (const_iterator at = cbegin(); !other.empty();) {
            if (at == cend() || less(other.front(), *at))
                take(at, other, other.cbegin());
            else
                ++at;
        }
    }
    template <std::size_t M, class Compare = std::less<>>
    void merge(inline_list<T, M>&& other, Compare less = {}) {
        merge(other, std::move(less));
    }

    void swap(inline_list& o) {
        using std::swap;
        iterator a = begin();
        iterator b = o.begin();
        for (; a != end() && b != o.end(); ++a, ++b)
            swap(*a, *b);
        while (b != o.end())
            b = take(cend(), o, b);
        while (a != end())
            a = o.take(o.cend(), *this, a);
    }
    friend void swap(inline_list& a, inline_list& b) { a.swap(b); }

    friend bool operator==(const inline_list& a, const inline_list& b) {
        return static_cast<const base&>(a) == static_cast<const base&>(b);
    }
    friend bool operator<(const inline_list& a, const inline_list& b) {
        return static_cast<const base&>(a) < static_cast<const base&>(b);
    }
    friend bool operator>(const inline_list& a, const inline_list& b) { return b < a; }
    friend bool operator<=(const inline_list& a, const inline_list& b) { return !(b < a); }
    friend bool operator>=(const inline_list& a, const inline_list& b) { return !(a < b); }

    template <class Predicate>
    friend size_type erase_if(inline_list& c, Predicate gone) {
        const size_type before = c.size();
        c.remove_if(gone);
        return before - c.size();
    }

private:
    template <class, std::size_t>
    friend class inline_list;

    [[nodiscard]] auto own_allocator() noexcept {
        return detail::inline_allocator<T, memory>{static_cast<memory&>(*this)};
    }

    /// Moves one element of another list before `at`; returns the one that followed it there.
    template <std::size_t M, class Iterator>
    Iterator take(const_iterator at, inline_list<T, M>& other, Iterator it) {
        T& from = const_cast<T&>(*it);
        base::insert(at, std::move(from));
        return other.unlink(it);
    }
    iterator unlink(const_iterator it) noexcept { return base::erase(it); }

    static void refuse_beyond(size_type elements) {
        if (elements > N)
            memory::refuse();
    }

    void take_all(inline_list& o) {
        while (!o.empty())
            take(cend(), o, o.begin());
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
