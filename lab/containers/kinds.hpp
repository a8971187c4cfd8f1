// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

// The containers that the workloads fill: of each its type with an allocator, how an element of a
// number is put into it, and which number an element has.

namespace arenite::lab {

struct forward_list_kind {
    static constexpr const char* name = "containers/forward_list";
    static constexpr const char* summary = "a forward_list is filled, cleared, thinned out, filled";
    static constexpr bool singly_linked = true;
    static constexpr bool two_ends = false;
    static constexpr bool in_short = false;

    using value = int;
    template <class A>
    using type = std::forward_list<int, A>;

    template <class C>
    static void put(C& c, std::size_t number) {
        c.push_front(static_cast<int>(number));
    }
    static std::size_t number_of(int element) { return static_cast<std::size_t>(element); }
};

struct list_kind {
    static constexpr const char* name = "containers/list";
    static constexpr const char* summary = "a list is filled, cleared, thinned out, filled again";
    static constexpr bool singly_linked = false;
    static constexpr bool two_ends = true;
    static constexpr bool in_short = true;

    using value = int;
    template <class A>
    using type = std::list<int, A>;

    template <class C>
    static auto put(C& c, std::size_t number) {
        c.push_back(static_cast<int>(number));
        return std::prev(c.end());
    }
    static std::size_t number_of(int element) { return static_cast<std::size_t>(element); }
};

struct set_kind {
    static constexpr const char* name = "containers/set";
    static constexpr const char* summary = "a set is filled in ascending order, cleared, thinned "
                                           "out, filled again";
    static constexpr bool singly_linked = false;
    static constexpr bool two_ends = false;
    static constexpr bool in_short = false;

    using value = int;
    template <class A>
    using type = std::set<int, std::less<>, A>;

    template <class C>
    static auto put(C& c, std::size_t number) {
        return c.insert(static_cast<int>(number)).first;
    }
    static std::size_t number_of(int element) { return static_cast<std::size_t>(element); }
};

struct map_kind {
    static constexpr const char* name = "containers/map";
    static constexpr const char* summary = "a map is filled in ascending order, cleared, thinned "
                                           "out, filled again";
    static constexpr bool singly_linked = false;
    static constexpr bool two_ends = false;
    static constexpr bool in_short = false;

    using value = std::pair<const int, int>;
    template <class A>
    using type = std::map<int, int, std::less<>, A>;

    template <class C>
    static auto put(C& c, std::size_t number) {
        return c.insert(value{static_cast<int>(number), static_cast<int>(number)}).first;
    }
    static std::size_t number_of(const value& element) {
        return static_cast<std::size_t>(element.second);
    }
};

struct unordered_map_kind {
    static constexpr const char* name = "containers/unordered_map";
    static constexpr const char* summary = "an unordered_map is filled, cleared, thinned out, "
                                           "filled again";
    static constexpr bool singly_linked = false;
    static constexpr bool two_ends = false;
    static constexpr bool in_short = false;

    using value = std::pair<const int, int>;
    template <class A>
    using type = std::unordered_map<int, int, std::hash<int>, std::equal_to<>, A>;

    /// Each number has its key; keys of neighbours lie far apart.
    static int key_of(std::size_t number) {
        return static_cast<int>(static_cast<std::uint32_t>(number) * 0x9e3779b1U);
    }
    template <class C>
    static auto put(C& c, std::size_t number) {
        return c.insert(value{key_of(number), static_cast<int>(number)}).first;
    }
    static std::size_t number_of(const value& element) {
        return static_cast<std::size_t>(static_cast<std::uint32_t>(element.second));
    }
};

/// std::allocator that notes how large what it allocates singly is: a container's node.
template <class T>
struct node_probe {
    using value_type = T;

    explicit node_probe(std::size_t& bytes) noexcept : noted{&bytes} {}
    template <class U>
    node_probe(const node_probe<U>& other) noexcept : noted{other.noted} {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (n == 1)
            *noted = sizeof(T);
        return std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>{}.deallocate(p, n); }
    template <class U>
    bool operator==(const node_probe<U>&) const noexcept {
        return true;
    }

    std::size_t* noted;
};

/// Bytes of a node of this kind of container, without what an allocator adds.
template <class Kind>
[[nodiscard]] std::size_t node_bytes() {
    std::size_t bytes = sizeof(typename Kind::value);
    typename Kind::template type<node_probe<typename Kind::value>> probed{
        node_probe<typename Kind::value>{bytes}};
    Kind::put(probed, 1);
    return bytes;
}

} // namespace arenite::lab
