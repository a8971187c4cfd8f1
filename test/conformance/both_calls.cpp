// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// allocate and try_allocate of heaps that have a short way for each of them: the same memory, the
// same books, and nullptr where the other throws.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/failing_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using namespace arenite;

#if ARENITE_EXCEPTIONS // else allocate does not return where there is no memory

namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

/// An upstream that gives the same addresses to the same requests: upward in a region that one of
/// them has at a time. Refuses requests when told to.
class one_place final : public resource_base<one_place> {
public:
    one_place() {
        region().reset();
        begin_ = static_cast<std::byte*>(region().allocate(1, 1_MiB));
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        const std::size_t call = calls_++;
        if (call >= first_refused_ && call - first_refused_ < refusals_)
            return nullptr;
        return region().try_allocate(bytes, alignment);
    }
    void deallocate(void* /*p*/, std::size_t /*bytes*/,
                    std::size_t /*alignment*/ = default_alignment) noexcept {
        ++calls_;
    }

    void refuse(std::size_t first, std::size_t count) noexcept {
        first_refused_ = first;
        refusals_ = count;
    }
    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
    [[nodiscard]] bool has_refused() const noexcept { return calls_ > first_refused_; }
    [[nodiscard]] std::ptrdiff_t place_of(const void* p) const noexcept {
        return static_cast<const std::byte*>(p) - begin_;
    }

private:
    static growing_linear_resource& region() {
        static growing_linear_resource all{512_MiB};
        return all;
    }

    std::byte* begin_;
    std::size_t calls_ = 0;
    std::size_t first_refused_ = most;
    std::size_t refusals_ = 0;
};

/// A heap of each kind, on an upstream of its own where it has one.
template <class Heap>
struct holder {
    one_place up;
    Heap heap{upstream{&up}};
};

struct kept_sizes {};
template <>
struct holder<kept_sizes> {
    one_place up;
    ordered_heap heap{ordered_options{.sizes = sizes::kept}, upstream{&up}};
};

template <>
struct holder<shared_heap> {
    shared_heap heap{};
};

template <>
struct holder<affinity_heap> {
    affinity_heap& heap = affinity_heap::named("both_calls_" + std::to_string(next()));
    ~holder() { heap.retire(); }
    static int next() {
        static int made = 0;
        return made++;
    }
};

template <class Kind>
constexpr bool has_upstream = requires(holder<Kind>& h) { h.up; };

enum class call { allocate, try_allocate, through_the_base };

/// nullptr where the call says that there is no memory, in its own way.
template <class Heap>
void* ask(Heap& heap, call by, std::size_t bytes, std::size_t alignment) {
    if (by == call::try_allocate)
        return heap.try_allocate(bytes, alignment);
    resource& base = heap;
    try {
        void* const p = by == call::allocate ? heap.allocate(bytes, alignment)
                                             : base.allocate(bytes, alignment);
        EXPECT_NE(p, nullptr);
        return p;
    } catch (const out_of_memory& e) {
        EXPECT_EQ(e.bytes(), bytes);
        EXPECT_EQ(e.alignment(), alignment);
        return nullptr;
    }
}

struct request {
    std::size_t bytes, alignment;
    std::size_t freed; ///< which of those that live goes before it, if any does
};

std::size_t some_bytes(std::mt19937_64& random) {
    switch (random() % 8) {
    case 0:
        return random() % 3;
    case 1:
        return random() % 70'000;
    case 2:
        return random() % 400'000;
    case 3:
        return random() % 9'000;
    default:
        return random() % 300;
    }
}

std::vector<request> some_requests(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random{seed};
    std::vector<request> all;
    while (all.size() < count) {
        const std::size_t bytes = some_bytes(random);
        all.push_back({bytes, std::size_t{1} << random() % (random() % 8 == 0 ? 16 : 5),
                       static_cast<std::size_t>(random() % 3 == 0 ? random() % 64 : count)});
    }
    return all;
}

/// The answer of a heap to a request.
struct answer {
    bool served;
    std::size_t usable, in_use, live, high_water, reserved, upstream_calls;
    std::ptrdiff_t place; ///< where its upstream gives the same addresses

    friend bool operator==(const answer&, const answer&) = default;
    friend void PrintTo(const answer& a, std::ostream* out) {
        *out << (a.served ? "served" : "refused") << ", usable " << a.usable << ", in use "
             << a.in_use << ", live " << a.live << ", high water " << a.high_water << ", reserved "
             << a.reserved << ", upstream " << a.upstream_calls << ", at " << a.place;
    }
};

void expect_equal(const std::vector<answer>& all, const std::vector<answer>& expected) {
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], expected[i]) << "request " << i;
}

template <class Kind>
answer answer_of(holder<Kind>& on, const void* p) {
    const usage u = on.heap.usage();
    answer a{p != nullptr, 0, u.bytes_in_use, u.live_allocations, u.high_water_bytes, 0, 0, 0};
    if constexpr (!std::is_same_v<Kind, ordered_heap> &&
                  !std::is_same_v<Kind, synchronized_resource<ordered_heap>>)
        a.usable = p != nullptr ? on.heap.size_of(p) : 0;
    if constexpr (has_upstream<Kind>) { // the page source lends what others left there
        a.reserved = u.bytes_reserved;
        a.upstream_calls = on.up.calls();
        a.place = p != nullptr && !passthrough() ? on.up.place_of(p) : 0;
    }
    return a;
}

template <class Kind>
std::vector<answer> answers(holder<Kind>& on, call by, const std::vector<request>& requests) {
    struct object {
        void* p;
        std::size_t bytes, alignment;
    };
    std::vector<object> live;
    std::vector<answer> all;
    const auto free_at = [&](std::size_t i) {
        on.heap.deallocate(live[i].p, live[i].bytes, live[i].alignment);
        live[i] = live.back();
        live.pop_back();
    };
    for (const request& r : requests) {
        if (r.freed < live.size())
            free_at(r.freed);
        void* const p = ask(on.heap, by, r.bytes, r.alignment);
        EXPECT_TRUE(is_aligned(p, r.alignment));
        all.push_back(answer_of(on, p));
        if (p == nullptr)
            continue;
        std::memset(p, 0x5A, r.bytes);
        live.push_back({p, r.bytes, r.alignment});
    }
    while (!live.empty())
        free_at(live.size() - 1);
    all.push_back(answer_of(on, nullptr));
    return all;
}

/// The answers of a new heap.
template <class Kind>
std::vector<answer> answers(call by, const std::vector<request>& requests) {
    holder<Kind> on{};
    return answers(on, by, requests);
}

template <class Kind>
class both_calls : public ::testing::Test {};

using kinds = ::testing::Types<ordered_heap, kept_sizes, synchronized_resource<ordered_heap>,
                               affinity_heap, shared_heap>;
TYPED_TEST_SUITE(both_calls, kinds, );

TYPED_TEST(both_calls, of_a_random_program_are_answered_alike) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto requests = some_requests(seed, 400);
        const auto expected = answers<TypeParam>(call::try_allocate, requests);
        expect_equal(answers<TypeParam>(call::allocate, requests), expected);
        expect_equal(answers<TypeParam>(call::through_the_base, requests), expected);
    }
}

TYPED_TEST(both_calls, fail_alike_at_each_refusal_of_the_upstream) {
    if constexpr (!has_upstream<TypeParam>) {
        GTEST_SKIP() << "its upstream is the page source";
    } else {
        const auto requests = some_requests(77, 150);
        for (const std::size_t count : {std::size_t{1}, most}) {
            std::size_t n = 0;
            const auto refused = [&](call by, std::vector<answer>& all) {
                holder<TypeParam> on{};
                on.up.refuse(n, count);
                all = answers(on, by, requests);
                return on.up.has_refused();
            };
            for (std::vector<answer> expected, all; refused(call::try_allocate, expected); ++n) {
                SCOPED_TRACE("from call " + std::to_string(n) + " on " + std::to_string(count));
                EXPECT_TRUE(refused(call::allocate, all));
                expect_equal(all, expected);
            }
            EXPECT_GT(n, 5u);
        }
    }
}

TYPED_TEST(both_calls, fail_alike_where_nothing_can_serve) {
    holder<TypeParam> on{};
    auto& heap = on.heap;
    void* const p = heap.allocate(48, 16);
    std::vector<request> requests;
    for (const std::size_t bytes : {most, most - 15, most - 4095, most / 2 + 1, most / 2})
        for (const std::size_t alignment : {std::size_t{1}, std::size_t{16}, std::size_t{4096}})
            requests.push_back({bytes, alignment, 0});
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{48}, std::size_t{100'000}}) {
        requests.push_back({bytes, most / 2 + 1, 0}); // the largest power of two
        if (!checks_enabled)                          // a contract violation there
            for (const std::size_t alignment : {std::size_t{0}, std::size_t{3}, std::size_t{24}})
                requests.push_back({bytes, alignment, 0});
    }
    const answer before = answer_of(on, nullptr);
    for (const request& r : requests)
        for (const call by : {call::try_allocate, call::allocate, call::through_the_base}) {
            EXPECT_EQ(ask(heap, by, r.bytes, r.alignment), nullptr)
                << r.bytes << ", " << r.alignment;
            answer after = answer_of(on, nullptr);
            after.upstream_calls = before.upstream_calls; // it may have been asked
            EXPECT_EQ(after, before);
        }
    heap.deallocate(p, 48, 16);
}

TYPED_TEST(both_calls, find_what_the_other_freed) {
    if (passthrough())
        GTEST_SKIP() << "malloc's order";
    holder<TypeParam> on{};
    for (const unsigned bytes : {0u, 1u, 48u, 2000u, 20'000u, 100'000u, 2'000'000u}) {
        void* const first = on.heap.try_allocate(bytes, 16);
        on.heap.deallocate(first, bytes, 16);
        const answer empty = answer_of(on, nullptr);
        // At once or soon: a slot is chosen when the one before is taken, and lower ones are first.
        std::vector<void*> again;
        do
            again.push_back(on.heap.allocate(bytes, 16));
        while (again.back() != first && again.size() < 4);
        EXPECT_EQ(again.back(), first) << bytes;
        for (void* const p : again)
            on.heap.deallocate(p, bytes, 16);
        EXPECT_EQ(answer_of(on, nullptr), empty) << bytes;
    }
}

#if CALLS_CAN_FAIL
TYPED_TEST(both_calls, fail_alike_where_the_system_refuses) {
    if constexpr (has_upstream<TypeParam>) {
        GTEST_SKIP() << "it has an upstream of its own";
    } else {
        if (passthrough())
            GTEST_SKIP() << "malloc's to say";
        holder<TypeParam> on{};
        auto& heap = on.heap;
        void* const p = heap.allocate(48, 16);
        heap.trim();
        page_source().trim();
        {
            const support::failing_calls none{0};
            const std::size_t bytes = std::size_t{1} << (sizeof(void*) == 8 ? 40 : 30);
            const answer before = answer_of(on, nullptr);
            for (const call by : {call::try_allocate, call::allocate, call::through_the_base}) {
                EXPECT_EQ(ask(heap, by, bytes, 16), nullptr);
                EXPECT_EQ(answer_of(on, nullptr), before);
            }
        }
        heap.deallocate(p, 48, 16);
    }
}
#endif

} // namespace

#endif
