// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/system_resource.hpp>
#include <arenite/stl/suballocator.hpp>

#include "support/container_suite.hpp"

#include <cstddef>
#include <memory>

namespace container_suite {

using arenite::sharing;
using arenite::suballocator;

/// Pools that some containers have for themselves, over the standard allocator as the seed has it.
struct own {
    static constexpr const char* name = "own";
    template <class T>
    using allocator = suballocator<T, std::allocator<T>, sharing::container>;
    template <class T>
    allocator<T> make() {
        return first;
    }
    support::counting_resource* upstream() { return nullptr; }

    allocator<std::byte> first;
};

/// A base that has a state: the resource it asks.
template <class T>
struct stateful {
    using value_type = T;

    stateful() = default;
    explicit stateful(support::counting_resource& up) : source{&up} {}
    template <class U>
    stateful(const stateful<U>& other) : source{other.source} {}

    T* allocate(std::size_t n) {
        return static_cast<T*>(source->allocate(n * sizeof(T), alignof(T)));
    }
    void deallocate(T* p, std::size_t n) { source->deallocate(p, n * sizeof(T), alignof(T)); }

    template <class U>
    bool operator==(const stateful<U>& other) const {
        return source == other.source;
    }

    arenite::resource* source = &arenite::system_resource();
};

/// Own pools over it, and an upstream that can fail.
struct own_over_a_state {
    static constexpr const char* name = "own_over_a_state";
    template <class T>
    using base = stateful<T>;
    template <class T>
    using allocator = suballocator<T, base<T>>;
    template <class T>
    allocator<T> make() {
        return first;
    }
    support::counting_resource* upstream() { return &up; }

    support::counting_resource up;
    allocator<std::byte> first{base<std::byte>{up}};
};

using own_families = testing::Types<own, own_over_a_state>;
INSTANTIATE_TYPED_TEST_SUITE_P(suballocator_own, containers, own_families, family_names);

} // namespace container_suite
