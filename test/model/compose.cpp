// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

using namespace arenite;
using support::counting_resource;
using support::heap_operations;
using support::heap_rules;

namespace {

// Fewer under a sanitizer, which takes ten times as long.
constexpr int programs = detail::poison::active ? 2 : 10;

template <class Run>
void run_programs(const char* test, Run run) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        for (const sizes kind : {sizes::given, sizes::kept}) {
            SCOPED_TRACE(testing::Message()
                         << "ARENITE_TEST_SEED=" << seed
                         << (kind == sizes::kept ? ", sizes kept" : ", sizes known"));
            support::random_source source{seed, 1500};
            run(kind,
                heap_rules{
                    .keeps_sizes = kind == sizes::kept, .may_fail = true, .most_bytes = 4_MiB},
                source);
            if (testing::Test::HasFailure())
                return;
        }
    }
}

/// Fails one request in some, each at another one of the calls that it makes.
class flaky {
public:
    explicit flaky(counting_resource& up) : up_{up} {}
    void next() {
        up_.never_fail();
        if (++requests_ % 37 == 0)
            up_.fail_once_after(requests_ / 37 % 3);
        else if (requests_ % 101 == 0)
            up_.fail_after(requests_ / 101 % 3);
        before_ = up_.failures();
    }
    [[nodiscard]] bool failed() const { return up_.failures() > before_; }

private:
    counting_resource& up_;
    std::size_t requests_ = 0;
    std::size_t before_ = 0;
};

/// Stands before a resource that counts, does what it does, and keeps count itself. What is counted
/// for an allocation is its size, or size_of where sizes are kept.
template <class Counting, class Model>
class audit final : public resource_base<audit<Counting, Model>> {
public:
    audit(Counting& r, counting_resource& up, sizes kind)
        : r_{r}, flaky_{up}, model_{r}, kind_{kind} {}

    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        flaky_.next();
        model_.before(r_, bytes);
        void* const p = r_.try_allocate(bytes, alignment);
        model_.after(r_, bytes, p != nullptr ? counted(p, bytes) : 0, p != nullptr,
                     flaky_.failed());
        return p;
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        const std::size_t n = counted(p, bytes);
        r_.deallocate(p, bytes, alignment);
        model_.freed(r_, n);
    }
    void deallocate(void* p) {
        const std::size_t n = r_.size_of(p);
        r_.deallocate(p);
        model_.freed(r_, n);
    }
    bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes, std::size_t alignment) {
        const std::size_t before = counted(p, old_bytes);
        model_.before(r_, new_bytes);
        const bool resized = r_.try_resize(p, old_bytes, new_bytes, alignment);
        if (resized)
            model_.resized(r_, before, counted(p, new_bytes));
        return resized;
    }
    [[nodiscard]] std::size_t size_of(const void* p) const { return r_.size_of(p); }

private:
    [[nodiscard]] std::size_t counted(const void* p, std::size_t bytes) const {
        return kind_ == sizes::kept ? r_.size_of(p) : bytes;
    }

    Counting& r_;
    flaky flaky_;
    Model model_;
    sizes kind_;
};

using limited_heap = limited_resource<ordered_heap>;

int warnings = 0;

struct budget_model {
    static constexpr std::size_t budget = 600'000, reserve = 50'000, mark = (budget - reserve) / 2;

    explicit budget_model(limited_heap&) { warnings = 0; }

    void before(limited_heap& r, std::size_t) {
        if (++steps % 50 == 0) {
            EXPECT_EQ(r.restore_reserve(), sum <= budget - reserve);
            open = open && sum > budget - reserve;
        }
        limit = budget - (open ? 0 : reserve);
    }
    void after(limited_heap& r, std::size_t bytes, std::size_t counted, bool given, bool failed) {
        if (given) {
            EXPECT_LE(sum + counted, limit) << "it passes the budget";
            grown(counted);
        } else {
            // A slot may be up to an eighth larger than a small request, a page than a large one.
            const std::size_t rounded = bytes + std::max<std::size_t>(bytes / 8, 4096);
            EXPECT_TRUE(failed || sum + rounded > limit) << "refused within the budget";
            open = open || bytes <= budget;
        }
        check(r);
    }
    void freed(limited_heap& r, std::size_t counted) {
        sum -= counted;
        check(r);
    }
    void resized(limited_heap& r, std::size_t before, std::size_t counted) {
        sum -= before;
        EXPECT_LE(sum + counted, limit + (counted > before ? 4096 : 0));
        sum += before;
        if (counted > before)
            grown(counted - before);
        else
            sum -= before - counted;
        check(r);
    }
    void grown(std::size_t bytes) {
        if (sum <= mark && sum + bytes > mark)
            ++expected_warnings;
        sum += bytes;
    }
    void check(limited_heap& r) const {
        EXPECT_EQ(r.in_use(), sum);
        EXPECT_EQ(r.reserve_is_open(), open);
        EXPECT_EQ(warnings, expected_warnings);
    }

    std::size_t sum = 0;
    std::size_t limit = 0;
    bool open = false;
    int expected_warnings = 0;
    int steps = 0;
};

TEST(model, limited_resource_on_an_upstream_that_fails) {
    run_programs("model.limited_resource_on_an_upstream_that_fails", [](sizes kind,
                                                                        heap_rules rules,
                                                                        auto& source) {
        counting_resource up;
        {
            limited_heap heap{
                limited_options{.budget_bytes = budget_model::budget,
                                .warn_at = 0.5,
                                .on_warning = [](std::size_t, std::size_t, void*) { ++warnings; },
                                .reserve_bytes = budget_model::reserve},
                ordered_options{.sizes = kind}, &up};
            audit<limited_heap, budget_model> audited{heap, up, kind};
            EXPECT_EQ(heap_operations(audited, rules).run(source), "");
            EXPECT_EQ(heap.in_use(), 0u);
            up.never_fail();
        }
        EXPECT_EQ(up.live(), 0u);
    });
}

using tracked_heap = tracked_resource<ordered_heap>;

struct tally_model {
    explicit tally_model(tracked_heap&) {}

    void before(tracked_heap&, std::size_t) {}
    void after(tracked_heap& r, std::size_t, std::size_t counted, bool given, bool) {
        ++(given ? allocations : failures);
        live += given ? 1 : 0;
        grown(counted);
        check(r);
    }
    void freed(tracked_heap& r, std::size_t counted) {
        sum -= counted;
        --live;
        check(r);
    }
    void resized(tracked_heap& r, std::size_t before, std::size_t counted) {
        sum -= before;
        grown(counted);
        check(r);
    }
    void grown(std::size_t bytes) {
        sum += bytes;
        most = std::max(most, sum);
    }
    void check(const tracked_heap& r) const {
        EXPECT_EQ(r.in_use(), sum);
        EXPECT_EQ(r.high_water(), most);
        EXPECT_EQ(r.allocations(), allocations);
        EXPECT_EQ(r.failures(), failures);
        EXPECT_EQ(r.usage().live_allocations, live);
    }

    std::size_t sum = 0, most = 0, live = 0, allocations = 0, failures = 0;
};

TEST(model, tracked_resource_on_an_upstream_that_fails) {
    run_programs("model.tracked_resource_on_an_upstream_that_fails",
                 [](sizes kind, heap_rules rules, auto& source) {
                     counting_resource up;
                     {
                         tracked_heap heap{"heap", ordered_options{.sizes = kind}, &up};
                         audit<tracked_heap, tally_model> audited{heap, up, kind};
                         EXPECT_EQ(heap_operations(audited, rules).run(source), "");
                         EXPECT_EQ(heap.in_use(), 0u);
                         up.never_fail();
                     }
                     EXPECT_EQ(up.live(), 0u);
                 });
}

/// Its requests go to an R, on an upstream that fails at times.
template <class R>
class on_flaky final : public resource_base<on_flaky<R>> {
public:
    on_flaky(R& r, counting_resource& up) : r_{r}, flaky_{up} {}
    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        flaky_.next();
        return r_.try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        r_.deallocate(p, bytes, alignment);
    }
    bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes, std::size_t alignment)
        requires Resizing<R>
    {
        return r_.try_resize(p, old_bytes, new_bytes, alignment);
    }
    void deallocate(void* p)
        requires UnsizedFreeing<R>
    {
        r_.deallocate(p);
    }
    [[nodiscard]] std::size_t size_of(const void* p) const
        requires Sizing<R>
    {
        return r_.size_of(p);
    }
    [[nodiscard]] bool owns(const void* p) const { return r_.owns(p); }
    [[nodiscard]] arenite::usage usage() const { return r_.usage(); }
    void trim() { r_.trim(); }

private:
    R& r_;
    flaky flaky_;
};

TEST(model, fallback_resource_on_an_upstream_that_fails) {
    run_programs("model.fallback_resource_on_an_upstream_that_fails",
                 [](sizes kind, heap_rules rules, auto& source) {
                     counting_resource up;
                     {
                         fallback_resource<tlsf_resource, ordered_heap> pair{
                             std::piecewise_construct,
                             std::tuple{std::size_t{20'000}, tlsf_options{.sizes = kind}, &up},
                             std::tuple{ordered_options{.sizes = kind}, &up}};
                         on_flaky r{pair, up};
                         EXPECT_EQ(heap_operations(r, rules).run(source), "");
                         up.never_fail();
                     }
                     EXPECT_EQ(up.live(), 0u);
                 });
}

TEST(model, segregated_resource_on_an_upstream_that_fails) {
    run_programs("model.segregated_resource_on_an_upstream_that_fails",
                 [](sizes kind, heap_rules rules, auto& source) {
                     rules.keeps_sizes = false; // the pool tells none
                     counting_resource up;
                     {
                         segregated_resource<pool_resource, ordered_heap> pair{
                             64, std::piecewise_construct, std::tuple{slot{64, 64}, &up},
                             std::tuple{ordered_options{.sizes = kind}, &up}};
                         on_flaky r{pair, up};
                         EXPECT_EQ(heap_operations(r, rules).run(source), "");
                         up.never_fail();
                     }
                     EXPECT_EQ(up.live(), 0u);
                 });
}

} // namespace
