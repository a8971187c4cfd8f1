// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/stl/detail/vector_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// A vector that grows in place.
///
///     growing_vector<int> v{8_GiB};               // addresses; memory as it grows
///     v.push_back(1);
///     const int* p = &v[0];                       // stays valid, however many follow
///
///     v    | 1 | 2 | 3 |... free ...|            addresses only, no memory            |
///          ^ data(), always         ^ committed: by doubling, at most 32 MiB a step
///
///     growing_vector<int, ordered_heap> w{heap};  // of any resource, in place where it can
///
/// With addresses of its own no element ever moves because the vector grows: pointers, references
/// and iterators stay valid, other threads may go on reading what is there, and elements need not
/// be movable. From a resource it asks that to enlarge its memory in place (try_resize), and moves
/// the elements only where it cannot.
///
/// Use when:  it is not known how large a sequence becomes, and copying it, or having it twice for
///            a moment, would cost too much; or others keep pointers into it.
/// Cost:      push_back O(1), amortised; with addresses of its own without a copy: one system call
///            a growth step, and the first touch of each page; to make and end one takes about
///            10 us, more than a std::vector of 100 KB takes to grow.
/// Overhead:  none an element. Own addresses: less than a growth step of committed memory, pages
///            that nothing touched yet are not resident; one small object of malloc.
/// Limits:    the addresses that were given; T must be complete where it is used. Over a resource
///            that cannot enlarge in place, elements that cannot be moved need a reserve() before
///            the first one: growing beyond it throws out_of_memory.
/// Returns:   shrink_to_fit returns the pages above the elements to the system, or what the
///            resource takes; destruction everything.
/// Threads:   one at a time, as std::vector; over a resource also those of the resource.
/// Failure:   out_of_memory where the addresses or the resource's memory end; nothing changes,
///            except by an assign from iterators that can be read only once. What an element throws
///            is passed on: elements that were to come at the end are gone again.
///
/// The interface is std::vector's, but without an allocator: resource() instead; a number alone
/// makes addresses, elements come by assign(). A copy has as many addresses of its own, or the same
/// resource; a move takes the memory along. With ARENITE_PASSTHROUGH=1 memory comes from malloc,
/// and elements do move: old and new memory count for a moment, so half as many find room, and of
/// elements that cannot be moved as many as were reserved before the first.
template <class T, class R = growing_linear_resource>
class growing_vector {
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    /// 64 GiB of addresses; 256 MiB where addresses have 32 bits.
    growing_vector() noexcept
        requires std::is_same_v<R, growing_linear_resource>
        : growing_vector(growing_linear_resource::default_address_space) {}

    /// Addresses of its own, reserved with the first element; 0 is a contract violation.
    explicit growing_vector(std::size_t address_bytes) noexcept
        requires std::is_same_v<R, growing_linear_resource>
        : memory_{address_bytes != 0 ? address_bytes : 1} {
        if (address_bytes == 0)
            contract_violation("a growing_vector of no addresses can hold nothing");
    }

    /// Memory comes from r, which must outlive the vector.
    explicit growing_vector(R& r) noexcept : memory_{r} {}

    growing_vector(const growing_vector& o) : growing_vector(o.memory_) {
        append(o.begin(), o.end());
    }
    growing_vector(growing_vector&& o) noexcept
        : memory_{std::move(o.memory_)}, data_{std::exchange(o.data_, nullptr)},
          size_{std::exchange(o.size_, 0)}, capacity_{std::exchange(o.capacity_, 0)} {}
    growing_vector& operator=(const growing_vector& o) {
        if (this != &o)
            assign(o.begin(), o.end());
        return *this;
    }
    /// Takes the memory along, and where it comes from.
    growing_vector& operator=(growing_vector&& o) noexcept {
        growing_vector moved{std::move(o)};
        swap(moved);
        return *this;
    }
    growing_vector& operator=(std::initializer_list<T> values) {
        assign(values);
        return *this;
    }
    ~growing_vector() { release(); }

    void swap(growing_vector& o) noexcept {
        std::swap(memory_, o.memory_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
    }
    friend void swap(growing_vector& a, growing_vector& b) noexcept { a.swap(b); }

    // ---- elements -------------------------------------------------------------------------------

    [[nodiscard]] T& operator[](size_type i) noexcept {
        ARENITE_ASSERT(i < size_, "a growing_vector was asked for an element past its end");
        return data_[i];
    }
    [[nodiscard]] const T& operator[](size_type i) const noexcept {
        ARENITE_ASSERT(i < size_, "a growing_vector was asked for an element past its end");
        return data_[i];
    }
    /// Throws std::out_of_range; without exceptions calls the contract handler.
    [[nodiscard]] T& at(size_type i) {
        check(i);
        return data_[i];
    }
    [[nodiscard]] const T& at(size_type i) const {
        check(i);
        return data_[i];
    }
    [[nodiscard]] T& front() noexcept { return (*this)[0]; }
    [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] T& back() noexcept { return (*this)[size_ - 1]; }
    [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }

    [[nodiscard]] iterator begin() noexcept { return data_; }
    [[nodiscard]] const_iterator begin() const noexcept { return data_; }
    [[nodiscard]] const_iterator cbegin() const noexcept { return data_; }
    [[nodiscard]] iterator end() noexcept { return data_ + size_; }
    [[nodiscard]] const_iterator end() const noexcept { return data_ + size_; }
    [[nodiscard]] const_iterator cend() const noexcept { return data_ + size_; }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator{end()}; }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept {
        return const_reverse_iterator{end()};
    }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator{begin()}; }
    [[nodiscard]] const_reverse_iterator rend() const noexcept {
        return const_reverse_iterator{begin()};
    }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    // ---- size -----------------------------------------------------------------------------------

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] size_type size() const noexcept { return size_; }
    /// Elements that there is memory for; with addresses of its own it grows in place.
    [[nodiscard]] size_type capacity() const noexcept { return capacity_; }
    /// The number of elements that there are addresses for.
    [[nodiscard]] size_type max_size() const noexcept { return memory_.most_bytes() / sizeof(T); }
    /// Where memory comes from; nullptr before a vector with addresses of its own reserves them.
    [[nodiscard]] R* resource() const noexcept { return memory_.get(); }

    void reserve(size_type n) {
        if (n > capacity_)
            grow(n, n, [](T*) { return false; });
    }
    /// Where memory cannot shrink in place, nothing changes.
    void shrink_to_fit() noexcept {
        if (capacity_ == size_)
            return;
        if (size_ == 0)
            release();
        else
            static_cast<void>(resize_in_place(size_));
        memory_.give_back();
    }
    void resize(size_type n) {
        reserve_for(n);
        adding guard{*this, size_};
        while (size_ < n)
            emplace_back();
        guard.kept = n;
    }
    void resize(size_type n, const T& value) {
        if (n > size_)
            append_copies(n - size_, value);
        truncate(n);
    }
    void clear() noexcept { truncate(0); }

    // ---- changes --------------------------------------------------------------------------------

    template <class... Args>
    T& emplace_back(Args&&... args) {
        if (size_ == capacity_) [[unlikely]] {
            const bool is_made = grow(size_ + 1, next_capacity(), [&](T* at) {
                std::construct_at(at, std::forward<Args>(args)...);
                return true;
            });
            if (is_made)
                return data_[size_++];
        }
        T* const p = std::construct_at(data_ + size_, std::forward<Args>(args)...);
        ++size_;
        return *p;
    }
    void push_back(const T& value) { emplace_back(value); }
    void push_back(T&& value) { emplace_back(std::move(value)); }
    void pop_back() noexcept {
        ARENITE_ASSERT(size_ != 0, "an element was taken from an empty growing_vector");
        truncate(size_ - 1);
    }

    template <class... Args>
    iterator emplace(const_iterator at, Args&&... args) {
        const difference_type i = at - begin();
        emplace_back(std::forward<Args>(args)...);
        std::rotate(begin() + i, end() - 1, end());
        return begin() + i;
    }
    iterator insert(const_iterator at, const T& value) { return emplace(at, value); }
    iterator insert(const_iterator at, T&& value) { return emplace(at, std::move(value)); }
    iterator insert(const_iterator at, size_type n, const T& value) {
        return inserted(at, [&] { append_copies(n, value); });
    }
    template <std::input_iterator I>
    iterator insert(const_iterator at, I first, I last) {
        return inserted(at, [&] { append(first, last); });
    }
    iterator insert(const_iterator at, std::initializer_list<T> values) {
        return insert(at, values.begin(), values.end());
    }

    iterator erase(const_iterator at) { return erase(at, at + 1); }
    iterator erase(const_iterator first, const_iterator last) {
        T* const to = begin() + (first - begin());
        if (first != last) {
            T* const rest = std::move(begin() + (last - begin()), end(), to);
            truncate(static_cast<size_type>(rest - begin()));
        }
        return to;
    }

    template <std::input_iterator I>
    void assign(I first, I last) {
        if constexpr (std::forward_iterator<I>)
            reserve_for(static_cast<size_type>(std::distance(first, last)));
        clear();
        append(first, last);
    }
    void assign(size_type n, const T& value) {
        const T copy{value}; // may be one of these
        reserve_for(n);      // which may fail: before these go
        clear();
        append_copies(n, copy);
    }
    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    /// Adds elements at the end; not of this vector.
    template <std::input_iterator I>
    void append(I first, I last) {
        if constexpr (std::forward_iterator<I>)
            reserve_for(size_ + static_cast<size_type>(std::distance(first, last)));
        adding guard{*this, size_};
        for (; first != last; ++first)
            emplace_back(*first);
        guard.kept = size_;
    }

    friend bool operator==(const growing_vector& a, const growing_vector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator<(const growing_vector& a, const growing_vector& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator>(const growing_vector& a, const growing_vector& b) { return b < a; }
    friend bool operator<=(const growing_vector& a, const growing_vector& b) { return !(b < a); }
    friend bool operator>=(const growing_vector& a, const growing_vector& b) { return !(a < b); }

    template <class Predicate>
    friend size_type erase_if(growing_vector& v, Predicate gone) {
        const size_type before = v.size();
        v.erase(std::remove_if(v.begin(), v.end(), gone), v.end());
        return before - v.size();
    }

private:
    explicit growing_vector(const detail::vector_memory<R>& memory) noexcept : memory_{memory} {}

    [[nodiscard]] size_type next_capacity() const noexcept {
        const size_type first = std::max<size_type>(64 / sizeof(T), 1);
        const size_type most = std::max<size_type>(memory_.largest_step() / sizeof(T), 1);
        const size_type step = std::clamp(capacity_, first, std::max(first, most));
        return step <= max_size() - capacity_ ? capacity_ + step : max_size();
    }
    /// Room for at least n elements, for more where there is memory.
    void reserve_for(size_type n) {
        if (n > capacity_)
            grow(n, std::max(n, next_capacity()), [](T*) { return false; });
    }
    /// Elements are added at the end; where one throws, all of them go again.
    struct adding {
        growing_vector& v;
        size_type kept;
        ~adding() { v.truncate(kept); }
    };

    /// Memory for n elements without moving any; false where that cannot be.
    [[nodiscard]] bool resize_in_place(size_type n) noexcept {
        bool is_resized = false;
        if constexpr (Resizing<R>)
            is_resized = detail::try_resize(*memory_.get(), data_, capacity_ * sizeof(T),
                                            n * sizeof(T), alignof(T));
        if (is_resized)
            capacity_ = n;
        return is_resized;
    }

    /// Room for `least` elements, better for `wanted`: in place for as many as there are of an
    /// eighth more, a sixteenth, and so on, so that few calls follow; else elsewhere. With new
    /// memory `construct` may first make an element after those that are there: it may be made of
    /// one of them. Tells whether it has. Throws where there is no room; nothing changes then.
    template <class Construct>
    bool grow(size_type least, size_type wanted, Construct construct) {
        if (least > max_size())
            throw_out_of_memory(least <= detail::max_object_bytes / sizeof(T)
                                    ? least * sizeof(T)
                                    : detail::max_object_bytes,
                                alignof(T), memory_.get());
        wanted = std::clamp(wanted, least, max_size());
        if (data_ == nullptr) {
            data_ = take(least, wanted);
            capacity_ = wanted;
            return false;
        }
        size_type more = capacity_ / 8;
        for (size_type n = wanted;; more /= 2) {
            if (resize_in_place(n))
                return false;
            if (n == least)
                break;
            n = std::clamp(capacity_ + more, least, wanted);
        }
        if constexpr (std::is_move_constructible_v<T>) {
            if (memory_.may_move()) {
                T* const elsewhere = take(least, wanted);
                return move_to(elsewhere, wanted, construct);
            }
        }
        throw_out_of_memory(least * sizeof(T), alignof(T), memory_.get());
    }

    /// Memory for n elements or, where there is not that much, for an eighth more than there are,
    /// or for `least`; n is how many then.
    [[nodiscard]] T* take(size_type least, size_type& n) {
        R& r = memory_.ready();
        if constexpr (Allocating<R>) {
            for (const size_type fewer : {capacity_ + capacity_ / 8, least}) {
                if (n == least)
                    break;
                if (void* const p = r.try_allocate(n * sizeof(T), alignof(T)))
                    return static_cast<T*>(p);
                n = std::clamp(fewer, least, n);
            }
        }
        return static_cast<T*>(r.allocate(n * sizeof(T), alignof(T)));
    }

    /// To new memory for n elements, which goes back where an element throws.
    template <class Construct>
    bool move_to(T* memory, size_type n, Construct construct) {
        struct new_memory {
            growing_vector& v;
            T* begin;
            size_type count;
            size_type made = 0;
            bool has_last = false;
            ~new_memory() {
                std::destroy_n(begin, made);
                if (has_last)
                    std::destroy_at(begin + v.size_);
                if (begin != nullptr)
                    v.memory_.get()->deallocate(begin, count * sizeof(T), alignof(T));
            }
        } to{*this, memory, n};
        const bool is_made = construct(to.begin + size_);
        to.has_last = is_made;
        for (; to.made < size_; ++to.made)
            std::construct_at(to.begin + to.made, std::move_if_noexcept(data_[to.made]));
        to.made = size_;
        to.has_last = false;
        std::swap(data_, to.begin);
        std::swap(capacity_, to.count);
        return is_made;
    }

    void append_copies(size_type n, const T& value) {
        const T copy{value}; // may be one of these
        reserve_for(n <= max_size() - size_ ? size_ + n : max_size() + 1);
        adding guard{*this, size_};
        while (n-- != 0)
            emplace_back(copy);
        guard.kept = size_;
    }
    template <class Append>
    iterator inserted(const_iterator at, Append append) {
        const difference_type i = at - begin();
        const difference_type before = end() - begin();
        append();
        std::rotate(begin() + i, begin() + before, end());
        return begin() + i;
    }

    void truncate(size_type n) noexcept {
        std::destroy(data_ + std::min(n, size_), data_ + size_);
        size_ = std::min(n, size_);
    }
    void release() noexcept {
        clear();
        if (data_ != nullptr)
            memory_.get()->deallocate(std::exchange(data_, nullptr), capacity_ * sizeof(T),
                                      alignof(T));
        capacity_ = 0;
    }
    void check(size_type i) const {
        if (i < size_) [[likely]]
            return;
#if ARENITE_EXCEPTIONS
        throw std::out_of_range{"growing_vector::at: past the end"};
#else
        contract_violation("growing_vector::at: past the end");
#endif
    }

    detail::vector_memory<R> memory_;
    T* data_ = nullptr;
    size_type size_ = 0;
    size_type capacity_ = 0;
};

template <class R>
growing_vector(R&) -> growing_vector<std::byte, R>;

} // namespace ARENITE_ABI
} // namespace arenite
