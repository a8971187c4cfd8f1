// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sizes that the compiler knows, as those of classes: it inlines what it would call otherwise. The
// other models ask for sizes that are only known when they run.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include "support/operations.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

using namespace arenite;
using support::pattern;

namespace {

template <class Heap>
struct constant_size {
    std::size_t bytes;
    std::size_t alignment;
    void* (*allocate)(Heap&);
    void (*deallocate)(Heap&, void*);
};

template <class Heap, std::size_t Bytes, std::size_t Alignment>
constexpr constant_size<Heap> of() {
    return {Bytes, Alignment, [](Heap& h) { return h.try_allocate(Bytes, Alignment); },
            [](Heap& h, void* p) { h.deallocate(p, Bytes, Alignment); }};
}

/// Which sizes live where, by address: nothing overlaps, all is aligned and stays as it was.
template <class Heap>
class program {
public:
    explicit program(Heap& heap) : heap_{heap} {}

    void run(support::random_source& source) {
        while (source.more() && !testing::Test::HasFatalFailure()) {
            const std::uint8_t what = source.byte();
            if (what < 120 || live_.empty())
                allocate(sizes[source.byte() % std::size(sizes)], 1);
            else if (what < 130) // side by side
                allocate(sizes[source.byte() % std::size(sizes)], source.byte());
            else if (what < 240)
                free_one(std::next(live_.begin(), static_cast<std::ptrdiff_t>(
                                                      support::below(source, live_.size()))));
            else // in the order of their addresses
                for (std::size_t n = source.byte(); n != 0 && !live_.empty(); --n)
                    free_one(live_.begin());
        }
        while (!live_.empty() && !testing::Test::HasFatalFailure())
            free_one(live_.begin());
    }

private:
    using size = constant_size<Heap>;
    static constexpr size sizes[] = {of<Heap, 1, 1>(),   of<Heap, 16, 16>(),  of<Heap, 24, 8>(),
                                     of<Heap, 40, 8>(),  of<Heap, 48, 16>(),  of<Heap, 100, 4>(),
                                     of<Heap, 256, 8>(), of<Heap, 1024, 8>(), of<Heap, 1025, 8>(),
                                     of<Heap, 64, 64>()};
    using pieces = std::map<std::byte*, const size*>;

    void allocate(const size& s, std::size_t count) {
        for (; count != 0; --count) {
            auto* const p = static_cast<std::byte*>(s.allocate(heap_));
            ASSERT_NE(p, nullptr);
            ASSERT_TRUE(is_aligned(p, s.alignment));
            const auto [at, fresh] = live_.emplace(p, &s);
            ASSERT_TRUE(fresh) << "handed out twice";
            const auto next = std::next(at);
            ASSERT_TRUE(next == live_.end() || p + s.bytes <= next->first);
            ASSERT_TRUE(at == live_.begin() ||
                        std::prev(at)->first + std::prev(at)->second->bytes <= p);
            pattern{address_of(p)}.write(p, s.bytes);
        }
    }
    void free_one(typename pieces::iterator at) {
        const auto [p, s] = *at;
        ASSERT_TRUE(pattern{address_of(p)}.holds(p, s->bytes)) << s->bytes;
        s->deallocate(heap_, p);
        live_.erase(at);
    }

    Heap& heap_;
    pieces live_;
};

template <class Heap>
void run_programs(const char* test, Heap& heap) {
    std::uint64_t seed = support::test_seed(test);
    for (int n = 0; n < 6; ++n, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        support::random_source source{seed, 20'000};
        program{heap}.run(source);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
        EXPECT_EQ(heap.usage().live_allocations, 0u);
        heap.trim();
    }
}

TEST(model, ordered_heap_with_constant_sizes) {
    ordered_heap heap;
    run_programs("model.ordered_heap_with_constant_sizes", heap);
}

TEST(model, affinity_with_constant_sizes) {
    run_programs("model.affinity_with_constant_sizes", affinity_heap::named("constant sizes"));
}

} // namespace
