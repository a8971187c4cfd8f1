// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/recording_resource.hpp>
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/report/sampled_site.hpp>

#include "conformance/conformance.hpp"
#include "support/recorded_file.hpp"

#include <tuple>
#include <utility>

namespace conformance_suite::composed {

struct synchronized_linear : conformance_case {
    static constexpr const char* name = "synchronized_linear_resource";
    static constexpr bool frees = false;
    static constexpr std::size_t capacity = 4_MiB;
    synchronized_resource<linear_resource> subject;
    explicit synchronized_linear(upstream up) : subject{capacity, up} {}
};

struct synchronized_heap : conformance_case {
    static constexpr const char* name = "synchronized_ordered_heap";
    synchronized_resource<ordered_heap> subject;
    explicit synchronized_heap(upstream up) : subject{ordered_options{}, up} {}
};

struct limited_heap : conformance_case {
    static constexpr const char* name = "limited_ordered_heap";
    limited_resource<ordered_heap> subject;
    explicit limited_heap(upstream up) : subject{64_MiB, ordered_options{}, up} {}
};

struct limited_sizes : conformance_case {
    static constexpr const char* name = "limited_ordered_heap_that_keeps_sizes";
    static constexpr bool keeps_sizes = true;
    limited_resource<ordered_heap> subject;
    explicit limited_sizes(upstream up)
        : subject{64_MiB, ordered_options{.sizes = sizes::kept}, up} {}
};

struct budgeted_heap : conformance_case {
    static constexpr const char* name = "budgeted_ordered_heap";
    budget_group group{1_GiB};
    budgeted_resource<ordered_heap> subject;
    explicit budgeted_heap(upstream up) : subject{group, ordered_options{}, up} {}
};

struct tracked_heap : conformance_case {
    static constexpr const char* name = "tracked_ordered_heap";
    static constexpr bool keeps_sizes = true;
    tracked_resource<ordered_heap> subject;
    explicit tracked_heap(upstream up)
        : subject{"heap", ordered_options{.sizes = sizes::kept}, up} {}
};

struct recording_heap : conformance_case {
    static constexpr const char* name = "recording_ordered_heap";
    static constexpr bool keeps_sizes = true;
    support::recording_place place;
    recording_resource<ordered_heap> subject;
    explicit recording_heap(upstream up)
        : subject{place.c_str(), ordered_options{.sizes = sizes::kept}, up} {}
};

struct observed_heap : conformance_case {
    static constexpr const char* name = "observed_ordered_heap";
    static constexpr bool keeps_sizes = true;
    callback_resource<ordered_heap> subject;
    explicit observed_heap(upstream up)
        : subject{sampled_callbacks{"heap", {.on_allocate = &ignore, .on_free = &ignore}},
                  ordered_options{.sizes = sizes::kept}, up} {}
    static void ignore(const sampled_callbacks::event&, void*) noexcept {}
};

struct sampled_heap : conformance_case {
    static constexpr const char* name = "sampled_ordered_heap";
    static constexpr bool keeps_sizes = true;
    sampled_resource<ordered_heap> subject;
    explicit sampled_heap(upstream up)
        : subject{site_sampler{"heap"}, ordered_options{.sizes = sizes::kept}, up} {
        start_sampling({.every_bytes = 1000, .seed = 1});
    }
    ~sampled_heap() { stop_sampling(); }
};

/// Some in a small pool, all else in a heap.
struct fallback : conformance_case {
    static constexpr const char* name = "fallback_pool_and_heap";
    fallback_resource<pool_resource, ordered_heap> subject;
    explicit fallback(upstream up)
        : subject{std::piecewise_construct, std::tuple{slot{64, 16}, pool_options{.slots = 50}, up},
                  std::tuple{up}} {}
};

struct segregated : conformance_case {
    static constexpr const char* name = "segregated_pool_and_heap";
    segregated_resource<pool_resource, ordered_heap> subject;
    explicit segregated(upstream up)
        : subject{64, std::piecewise_construct, std::tuple{slot{64, 16}, up}, std::tuple{up}} {}
};

INSTANTIATE_TEST_SUITE_P(
    composed, conformance,
    (cases<synchronized_linear, synchronized_heap, limited_heap, limited_sizes, budgeted_heap,
           tracked_heap, recording_heap, observed_heap, sampled_heap, fallback, segregated>()),
    case_name);

} // namespace conformance_suite::composed
