// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Replacements for malloc, for new, for std::pmr, for a heap of mimalloc and for a pool of Boost.
#include <arenite/affinity/affine.hpp>
#include <arenite/core/create.hpp>
#include <arenite/interop/malloc_like.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>

namespace {

struct of_textures {
    static constexpr std::string_view name = "textures";
};

void from_malloc() {
    using texture_memory = arenite::malloc_like<of_textures>; // counted under its name

    void* pixels = texture_memory::allocate(1000);
    pixels = texture_memory::reallocate(pixels, 2000);
    texture_memory::deallocate(pixels);
}

class body : public arenite::affine<arenite::affinities::physics> {
public:
    virtual ~body() = default;
    float mass = 1;
};

void from_new() {
    body* const b = new body; // lies beside the other bodies, without a header
    delete b;
}

void from_pmr() {
    arenite::ordered_heap heap; // for std::pmr::unsynchronized_pool_resource
    std::pmr::map<int, std::pmr::string> names{&heap};
    names.emplace(1, "the first");
}

void from_heaps() {
    arenite::ordered_heap level{arenite::ordered_options{.name = "level"}}; // for mi_heap_new()
    int* const last = arenite::create<int>(level, 7);
    std::printf("%d, in %zu bytes\n", *last, level.usage().bytes_in_use);
    arenite::destroy(level, last);
} // for mi_heap_destroy(): what is alive goes back, too

struct particle {
    float position[3], velocity[3];
};

void from_pools() {
    arenite::pool_resource pool{arenite::slot::of<particle>()}; // for boost::object_pool
    auto* const p = arenite::create<particle>(pool);
    arenite::destroy(pool, p);
}

} // namespace

int main() {
    from_malloc();
    from_new();
    from_pmr();
    from_heaps();
    from_pools();
    std::printf("%zu bytes in use\n", arenite::affinity_heap::usage_all().bytes_in_use);
    return arenite::affinity_heap::usage_all().bytes_in_use == 0 ? 0 : 1;
}
