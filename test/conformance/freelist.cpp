// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::freelist {

struct list_case : conformance_case {
    static constexpr std::size_t capacity = 16_MiB;
};

template <fit Fit>
struct on_upstream : list_case {
    static constexpr const char* name = Fit == fit::first ? "first_fit" : "best_fit";
    free_list_resource subject;
    explicit on_upstream(upstream up) : subject{capacity, Fit, up} {}
};

struct keeping_sizes : list_case {
    static constexpr const char* name = "keeping_sizes";
    static constexpr bool keeps_sizes = true;
    free_list_resource subject;
    explicit keeping_sizes(upstream up)
        : subject{capacity, free_list_options{.sizes = sizes::kept}, up} {}
};

struct in_a_buffer : list_case {
    static constexpr const char* name = "in_a_buffer";
    static constexpr bool has_upstream = false;
    raw_buffer buffer{capacity};
    free_list_resource subject{std::span<std::byte>{buffer}, fit::best};
    explicit in_a_buffer(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(
    free_list_resource, conformance,
    (cases<on_upstream<fit::first>, on_upstream<fit::best>, keeping_sizes, in_a_buffer>()),
    case_name);

struct tlsf : list_case {
    static constexpr const char* name = "tlsf";
    tlsf_resource subject;
    explicit tlsf(upstream up) : subject{capacity, up} {}
};

struct tlsf_keeping_sizes : list_case {
    static constexpr const char* name = "keeping_sizes";
    static constexpr bool keeps_sizes = true;
    tlsf_resource subject;
    explicit tlsf_keeping_sizes(upstream up)
        : subject{capacity, tlsf_options{.sizes = sizes::kept}, up} {}
};

struct tlsf_growing : conformance_case {
    static constexpr const char* name = "growing";
    tlsf_resource subject;
    explicit tlsf_growing(upstream up) : subject{64_KiB, tlsf_options{.grow = true}, up} {}
};

struct tlsf_in_buffers : list_case {
    static constexpr const char* name = "in_buffers";
    static constexpr bool has_upstream = false;
    raw_buffer buffer{2 * capacity};
    tlsf_resource subject{std::span<std::byte>{buffer}.first(64_KiB)};
    explicit tlsf_in_buffers(upstream) {
        EXPECT_TRUE(
            subject.add_region(std::span<std::byte>{buffer}.subspan(64_KiB, capacity - 64_KiB)));
    }
};

struct handing_over : list_case {
    static constexpr const char* name = "handover";
    handover_resource subject;
    explicit handing_over(upstream up) : subject{capacity, up} {}
};

INSTANTIATE_TEST_SUITE_P(handover_resource, conformance, (cases<handing_over>()), case_name);

struct restorable : list_case {
    static constexpr const char* name = "restorable";
    static constexpr bool has_upstream = false;
    restorable_heap subject{nullptr, capacity};
    explicit restorable(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(restorable_heap, conformance, (cases<restorable>()), case_name);

INSTANTIATE_TEST_SUITE_P(tlsf_resource, conformance,
                         (cases<tlsf, tlsf_keeping_sizes, tlsf_growing, tlsf_in_buffers>()),
                         case_name);

} // namespace conformance_suite::freelist
