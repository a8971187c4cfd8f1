// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "costs.hpp"

#include <arenite/affinity/affine.hpp>
#include <arenite/core/config.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/object/ref_counted.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/affinity_allocator.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace arenite::lab {
namespace {

struct pointees {
    static constexpr std::string_view name = "pointees";
};

// ---- the kinds: what the pointer is, what its class derives from, how one is made ---------------

struct no_base {};

struct std_unique {
    using base = no_base;
    template <class T>
    using pointer = std::unique_ptr<T>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return std::make_unique<T>(n); }
    };
};

struct affine_unique : std_unique {
    using base = affine<pointees>;
};

struct affinity_unique {
    using base = no_base;
    template <class T>
    using pointer = arenite::unique_ptr<T, pointees>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return arenite::make_unique<T>(pointees{}, n); }
    };
};

struct heap_unique {
    using base = no_base;
    template <class T>
    using pointer = arenite::unique_ptr<T, ordered_heap>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return arenite::make_unique<T>(heap, n); }
        ordered_heap heap;
    };
};

struct any_unique {
    using base = no_base;
    template <class T>
    using pointer = arenite::unique_ptr<T>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) {
            return arenite::make_unique<T>(static_cast<resource&>(heap), n);
        }
        ordered_heap heap;
    };
};

struct pooled {
    using base = no_base;
    template <class T>
    using pointer = arenite::unique_ptr<T, object_pool<T>>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return pool.acquire(n); }
        object_pool<T> pool;
    };
};

struct intrusive {
    struct base : ref_counted<>, affine<pointees> {};
    template <class T>
    using pointer = intrusive_ptr<T>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return make_intrusive<T>(n); }
    };
};

struct std_shared {
    using base = no_base;
    template <class T>
    using pointer = std::shared_ptr<T>;
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) { return std::make_shared<T>(n); }
    };
};

struct affinity_shared : std_shared {
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) {
            return std::allocate_shared<T>(affinity_allocator<T, pointees>{}, n);
        }
    };
};

struct heap_shared : std_shared {
    template <class T>
    struct source {
        pointer<T> make(std::uint64_t n) {
            return std::allocate_shared<T>(resource_allocator<T, ordered_heap>{heap}, n);
        }
        ordered_heap heap;
    };
};

// ---- the objects --------------------------------------------------------------------------------

template <class Kind>
struct object : Kind::base {
    explicit object(std::uint64_t n) noexcept { words.fill(n); }
    std::array<std::uint64_t, 6> words;
};

/// One of a chain, which tells how deep its destructors are within each other.
template <class Kind>
struct link : Kind::base {
    explicit link(std::uint64_t = 0) noexcept {}
    link(const link&) = delete;
    link& operator=(const link&) = delete;
    ~link() {
        deepest = std::max(deepest, ++depth);
        next = nullptr;
        --depth;
    }
    void on_acquire(std::uint64_t) noexcept {}
    void on_release() noexcept { // a pool keeps its objects: what they own goes all the same
        deepest = std::max(deepest, ++depth);
        next = nullptr;
        --depth;
    }

    typename Kind::template pointer<link> next;
    static inline std::size_t depth = 0, deepest = 0;
};

/// Counted by lab/calls/run pointers, which looks for its name.
template <class Kind>
ARENITE_NOINLINE void make_and_end(typename Kind::template source<object<Kind>>& from,
                                   std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto p = from.make(i);
        opaque(p.get());
    }
}

template <class Kind>
class costs final : public pointer_costs {
public:
    void run(turn& t, std::size_t count) override {
        typename Kind::template source<object<Kind>> from;
        t.note("pointer", "bytes", sizeof(pointer));
        const stopwatch making;
        make_and_end<Kind>(from, count);
        t.record("make_and_end", "ns", making.per(count));

        std::vector<pointer> all(count);
        const auto before = t.cold() ? resident() : std::nullopt; // later ones find memory there
        for (std::size_t i = 0; i < count; ++i)
            all[i] = from.make(i);
        t.record_memory("memory", "bytes/object", before, count);

        std::uint64_t sum = 0;
        const stopwatch following;
        for (const pointer& p : all)
            sum += p->words[0];
        opaque(&sum);
        t.record("follow", "ns", following.per(count));

        if constexpr (std::is_copy_constructible_v<pointer>) {
            const stopwatch sharing;
            for (const pointer& p : all) {
                const pointer other{p};
                opaque(&other);
            }
            t.record("share", "ns", sharing.per(count));
        }
        t.note("depth", "destructors", static_cast<double>(end_a_chain()));
        t.checksum(sum);
    }

private:
    using pointer = typename Kind::template pointer<object<Kind>>;
    using chained = link<Kind>;

    /// How deep it ends; no longer than any stack holds.
    static std::size_t end_a_chain() {
        typename Kind::template source<chained> from;
        typename Kind::template pointer<chained> first;
        for (int i = 0; i < 10'000; ++i) {
            auto before = from.make(0);
            before->next = std::move(first);
            first = std::move(before);
        }
        chained::deepest = 0;
        first = nullptr;
        return chained::deepest;
    }
};

struct kind {
    const char* name;
    std::unique_ptr<pointer_costs> (*make)();
};

template <class Kind>
std::unique_ptr<pointer_costs> make() {
    return std::make_unique<costs<Kind>>();
}

constexpr kind kinds[]{{"std.unique", make<std_unique>},
                       {"std.shared", make<std_shared>},
                       {"std.unique.affine", make<affine_unique>},
                       {"unique.affinity", make<affinity_unique>},
                       {"unique.heap", make<heap_unique>},
                       {"unique.any", make<any_unique>},
                       {"pool", make<pooled>},
                       {"intrusive", make<intrusive>},
                       {"std.shared.affinity", make<affinity_shared>},
                       {"std.shared.heap", make<heap_shared>}};

} // namespace

std::vector<std::string> pointer_kinds() {
    std::vector<std::string> names;
    for (const kind& k : kinds)
        names.emplace_back(k.name);
    return names;
}

std::unique_ptr<pointer_costs> make_pointer_costs(const std::string& name) {
    const auto* const found = std::find_if(std::begin(kinds), std::end(kinds),
                                           [&](const kind& k) { return k.name == name; });
    return found == std::end(kinds) ? nullptr : found->make();
}

} // namespace arenite::lab
