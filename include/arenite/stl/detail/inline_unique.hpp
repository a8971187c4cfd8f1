// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/inline_slots.hpp>

#include <concepts>
#include <cstddef>
#include <forward_list>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The common base of the inline containers of unique keys: a standard container whose nodes lie
/// in the object itself.
///
/// Nodes never change their container: copies, moves and swaps, and elements that come by a node
/// handle or a merge, are copied or moved one by one. A moved-from container is empty.
///
/// A Family names the container (see node_measure) and says:
/// - held: an element by itself, without const; moved(node): takes it out of a node handle;
///   key(value), key(node): its key;
/// - is_hashed, array_bytes(N): whether there are buckets, and how many bytes they take at most;
/// - stateless: whether its functions are all alike; nothrow_functions: whether neither they nor
///   their copies throw; nothrow_exchange: nor what takes others' functions over.
template <class Family, std::size_t N>
class inline_unique : private inline_parts<Family, N>::memory,
                      protected inline_parts<Family, N>::container {
    using memory = typename inline_parts<Family, N>::memory;
    using held = typename Family::held;

protected:
    using base = typename inline_parts<Family, N>::container;
    using allocator = typename base::allocator_type;

    struct with {};      // the functions that follow
    struct functions {}; // those of the container that follows

    template <class... Functions>
    explicit inline_unique(with, const Functions&... f) : base(f..., own_allocator()) {}
    inline_unique(functions, const inline_unique& o)
        requires(!Family::is_hashed)
        : base(o.key_comp(), own_allocator()) {}
    inline_unique(functions, const inline_unique& o)
        requires(Family::is_hashed)
        : base(N, o.hash_function(), o.key_eq(), own_allocator()) {}

public:
    using typename base::const_iterator;
    using typename base::const_pointer;
    using typename base::const_reference;
    using typename base::difference_type;
    using typename base::insert_return_type;
    using typename base::iterator;
    using typename base::key_type;
    using typename base::node_type;
    using typename base::pointer;
    using typename base::reference;
    using typename base::size_type;
    using typename base::value_type;

    static constexpr bool moves_without_throwing =
        std::is_nothrow_move_constructible_v<held> && Family::nothrow_functions;
    static constexpr bool assigns_without_throwing =
        moves_without_throwing && (Family::stateless || Family::nothrow_exchange);

    inline_unique(const inline_unique& o) : inline_unique(functions{}, o) { copy_all(o); }
    inline_unique(inline_unique&& o) noexcept(moves_without_throwing)
        : inline_unique(functions{}, o) {
        take_all(o);
    }
    inline_unique& operator=(const inline_unique& o) {
        if (this != &o) {
            if (o.size() > size() + memory::free_slots()) // node handles are out
                memory::refuse();
            clear();
            use_functions_of(o);
            copy_all(o);
        }
        return *this;
    }
    inline_unique& operator=(inline_unique&& o) noexcept(assigns_without_throwing) {
        if (this != &o) {
            clear();
            use_functions_of(o);
            take_all(o);
        }
        return *this;
    }
    ~inline_unique() = default;

    using base::begin;
    using base::cbegin;
    using base::cend;
    using base::clear;
    using base::contains;
    using base::count;
    using base::empty;
    using base::end;
    using base::equal_range;
    using base::erase;
    using base::extract;
    using base::find;
    using base::size;

    /// How many elements there is room for.
    [[nodiscard]] static constexpr size_type max_size() noexcept { return N; }
    [[nodiscard]] static constexpr size_type capacity() noexcept { return N; }
    /// True if a further element would be refused: there are N, node handles that are out included.
    [[nodiscard]] bool full() const noexcept { return memory::free_slots() == 0; }

    // An element that is there already is found before a slot is wanted, so that a full container
    // refuses only what it has not. Where the key is among the arguments, they stay as they are; an
    // element that has to be made to know its key takes them.

    template <class... Args>
    std::pair<iterator, bool> emplace(Args&&... args) {
        if (!full()) [[likely]]
            return base::emplace(std::forward<Args>(args)...);
        if (const key_type* const key = key_among(args...))
            return {present(*key), false};
        const value_type v(std::forward<Args>(args)...);
        return {present(Family::key(v)), false};
    }
    template <class... Args>
    iterator emplace_hint(const_iterator hint, Args&&... args) {
        if (!full()) [[likely]]
            return base::emplace_hint(hint, std::forward<Args>(args)...);
        if (const key_type* const key = key_among(args...))
            return present(*key);
        const value_type v(std::forward<Args>(args)...);
        return present(Family::key(v));
    }

    std::pair<iterator, bool> insert(const value_type& v) { return base::insert(v); }
    std::pair<iterator, bool> insert(value_type&& v) {
        if (!full()) [[likely]]
            return base::insert(std::move(v));
        return {present(Family::key(v)), false};
    }
    iterator insert(const_iterator hint, const value_type& v) { return base::insert(hint, v); }
    iterator insert(const_iterator hint, value_type&& v) {
        return full() ? present(Family::key(v)) : base::insert(hint, std::move(v));
    }
    template <class P>
        requires(Family::is_map && std::is_constructible_v<value_type, P &&>)
    std::pair<iterator, bool> insert(P&& p) {
        return emplace(std::forward<P>(p));
    }
    template <class P>
        requires(Family::is_map && std::is_constructible_v<value_type, P &&>)
    iterator insert(const_iterator hint, P&& p) {
        return emplace_hint(hint, std::forward<P>(p));
    }
    template <std::input_iterator I>
    void insert(I first, I last) {
        for (; first != last; ++first)
            insert(cend(), *first);
    }
    void insert(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }

    /// A node of another container is copied from: its element moves into a slot of this one.
    insert_return_type insert(node_type&& n) {
        insert_return_type done{end(), false, {}};
        if (n.empty())
            return done;
        if (n.get_allocator() == base::get_allocator())
            return base::insert(std::move(n));
        done.position = find(Family::key(n));
        if (done.position != end()) {
            done.node = std::move(n);
            return done;
        }
        done.position = add(std::move(n));
        done.inserted = true;
        return done;
    }
    iterator insert(const_iterator, node_type&& n) { return insert(std::move(n)).position; }

    /// Moves the elements that are not here yet out of another inline container of these elements.
    template <class Source>
        requires std::same_as<typename std::remove_reference_t<Source>::value_type, value_type>
    void merge(Source&& source) {
        for (auto at = source.begin(); at != source.end();) {
            const auto it = at++;
            if (contains(Family::key(*it)))
                continue;
            if (full())
                memory::refuse();
            add(source.extract(it));
        }
    }

    friend bool operator==(const inline_unique& a, const inline_unique& b) {
        return static_cast<const base&>(a) == static_cast<const base&>(b);
    }

    template <class Predicate>
    friend size_type erase_if(inline_unique& c, Predicate gone) {
        const size_type before = c.size();
        for (auto it = c.begin(); it != c.end();)
            it = gone(*it) ? c.erase(it) : std::next(it);
        return before - c.size();
    }

protected:
    [[noreturn]] static void refuse_more() { memory::refuse(); }

    /// For the assignment of a list, which may be longer than there is room for and name elements
    /// twice: what is there goes when it is certain that all finds room.
    void assign(std::initializer_list<value_type> values) {
        const size_type room = size() + memory::free_slots();
        if (values.size() > room) {
            inline_unique distinct(functions{}, *this);
            distinct.insert(values);
            if (distinct.size() > room)
                memory::refuse();
            clear();
            take_all(distinct);
        } else {
            clear();
            insert(values);
        }
    }

    /// One by one, through a chain in the slots of each: two full containers need no room besides.
    void swap_with(inline_unique& o) {
        if (this == &o)
            return;
        chain mine{own_allocator()};
        chain theirs{o.own_allocator()};
        drain(mine);
        o.drain(theirs);
        swap_functions(o);
        while (!mine.empty() && !theirs.empty()) {
            held a = pop(mine);
            add(pop(theirs));
            o.add(std::move(a));
        }
        while (!theirs.empty())
            add(pop(theirs));
        while (!mine.empty())
            o.add(pop(mine));
    }

private:
    using chain = std::forward_list<held, inline_allocator<held, memory>>;

    [[nodiscard]] allocator own_allocator() noexcept {
        return allocator{static_cast<memory&>(*this)};
    }

    /// The key of an element of these arguments, if it is one of them, or of a pair; else nullptr.
    [[nodiscard]] static const key_type* key_among() noexcept { return nullptr; }
    template <class First, class... Rest>
    [[nodiscard]] static const key_type* key_among(const First& first, const Rest&...) noexcept {
        constexpr std::size_t rest = sizeof...(Rest);
        if constexpr (std::is_same_v<First, key_type> && rest == (Family::is_map ? 1 : 0))
            return std::addressof(first);
        else if constexpr (Family::is_map && rest == 0 && requires {
                               first.first;
                               first.second;
                           })
            return key_among(first.first, first.second);
        else
            return nullptr;
    }

    template <class Key>
    iterator present(const Key& key) {
        const iterator it = find(key);
        if (it == end())
            memory::refuse();
        return it;
    }

    iterator add(held&& h) { return base::emplace_hint(cend(), std::move(h)); }
    template <class Node>
        requires requires(Node& n) { Family::moved(n); }
    iterator add(Node n) {
        return base::emplace_hint(cend(), Family::moved(n));
    }
    void copy_all(const inline_unique& o) {
        for (const value_type& v : o)
            base::emplace_hint(cend(), v);
    }
    void take_all(inline_unique& o) {
        while (!o.empty())
            add(o.extract(o.cbegin()));
    }

    static held pop(chain& c) {
        held h = std::move(c.front());
        c.pop_front();
        return h;
    }
    [[nodiscard]] held take_last() {
        const_iterator last = cbegin();
        if constexpr (!Family::is_hashed)
            last = std::prev(cend());
        node_type n = extract(last);
        return Family::moved(n);
    }
    /// Leaves this container empty, and the elements in order in the chain.
    void drain(chain& c) {
        while (!empty()) {
            held h = take_last(); // its slot is free now
            c.push_front(std::move(h));
        }
    }

    /// For empty containers. A hash table keeps its buckets where the functions are all alike;
    /// elsewhere they go and come again, since a container of std takes functions with their table.
    template <class... Functions>
    void use(const Functions&... f) {
        if constexpr (Family::is_hashed) {
            const base none(0, f..., own_allocator());
            base::operator=(none);
            base::rehash(N);
        } else {
            base none(f..., own_allocator());
            base::swap(none);
        }
    }
    void use_functions_of(const inline_unique& o) {
        if constexpr (Family::stateless)
            return;
        else if constexpr (Family::is_hashed)
            use(o.hash_function(), o.key_eq());
        else
            use(o.key_comp());
    }
    void swap_functions(inline_unique& o) {
        if constexpr (Family::stateless) {
            return;
        } else if constexpr (Family::is_hashed) {
            const auto hash = base::hash_function();
            const auto equal = base::key_eq();
            use(o.hash_function(), o.key_eq());
            o.use(hash, equal);
        } else {
            const auto compare = base::key_comp();
            use(o.key_comp());
            o.use(compare);
        }
    }
};

/// The functions of a container in a tree.
template <class K, class Compare>
struct ordered_keys {
    static constexpr bool is_hashed = false;
    static constexpr bool stateless = std::is_empty_v<Compare>;
    static constexpr bool nothrow_functions =
        std::is_nothrow_invocable_v<const Compare&, const K&, const K&> &&
        std::is_nothrow_copy_constructible_v<Compare>;
    static constexpr bool nothrow_exchange = std::is_nothrow_swappable_v<Compare>;
    [[nodiscard]] static constexpr std::size_t array_bytes(std::size_t) noexcept { return 0; }
};

/// Elements that are a key and what belongs to it.
template <class K, class V>
struct keys_and_values {
    static constexpr bool is_map = true;
    using held = std::pair<K, V>;
    template <class Node>
        requires requires(Node& n) { n.mapped(); }
    static held moved(Node& n) {
        return {std::move(n.key()), std::move(n.mapped())};
    }
    template <class Node>
        requires requires(const Node& n) { n.mapped(); }
    static const K& key(const Node& n) {
        return n.key();
    }
    static const K& key(const std::pair<const K, V>& v) { return v.first; }
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
