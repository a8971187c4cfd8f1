// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The library without std::pmr: its interface is a class of its own. A resource of the user's is
// an upstream, containers take any resource by resource_allocator, failures are reported as ever.
#include <arenite/arenite.hpp>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <type_traits>
#include <vector>

#if defined(__cpp_lib_memory_resource)
#include <memory_resource>
#endif

using namespace arenite;

#if !ARENITE_OWN_RESOURCE
#error "this program is for builds without std::pmr::memory_resource"
#endif
#if defined(__cpp_lib_memory_resource)
static_assert(!std::is_base_of_v<std::pmr::memory_resource, ordered_heap>);
#endif

namespace {

int failures = 0;

void expect(bool as_it_should, const char* text) {
    if (!as_it_should) {
        std::printf("not true: %s\n", text);
        ++failures;
    }
}
#define EXPECT(condition) expect(condition, #condition)

/// A user's own resource, with the interface alone.
class counting final : public resource {
public:
    int live = 0;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++live;
        return system_resource().allocate(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        --live;
        system_resource().deallocate(p, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const resource& other) const noexcept override {
        return this == &other;
    }
};

void a_heap_on_a_resource_of_the_users_own() {
    counting below;
    {
        ordered_heap heap{ordered_options{.sizes = sizes::kept}, below};
        resource& any = heap;
        void* const p = any.allocate(40);
        EXPECT(below.live > 0);
        EXPECT(heap.size_of(p) >= 40);
        any.deallocate(p, 40);
        EXPECT(any == heap);
        EXPECT(!(any == below));
    }
    EXPECT(below.live == 0);
}

void containers() {
    ordered_heap heap;
    std::vector<int, resource_allocator<int, ordered_heap>> v{heap};
    std::list<int, resource_allocator<int, resource>> l{resource_allocator<int, resource>{heap}};
    for (int i = 0; i < 1000; ++i) {
        v.push_back(i);
        l.push_back(i);
    }
    EXPECT(v[999] == 999);
    EXPECT(l.back() == 999);
    EXPECT(heap.usage().live_allocations == 1001);
    pooled::list<int> own;
    own.push_back(1);
    EXPECT(own.front() == 1);
}

void failures_are_reported() {
    linear_resource small{1_KiB};
    EXPECT(small.try_allocate(2_KiB) == nullptr);
#if ARENITE_EXCEPTIONS
    const resource* who = nullptr;
    try {
        static_cast<void>(small.allocate(2_KiB));
    } catch (const out_of_memory& failed) {
        who = failed.source();
    }
    EXPECT(who == &small);
#endif
}

} // namespace

int main() {
    a_heap_on_a_resource_of_the_users_own();
    containers();
    failures_are_reported();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
