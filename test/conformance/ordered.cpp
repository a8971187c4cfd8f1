// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::ordered {

template <sizes Sizes>
struct heap_case : conformance_case {
    static constexpr ordered_options options{.sizes = Sizes};
};

template <>
struct heap_case<sizes::kept> : conformance_case {
    static constexpr ordered_options options{.sizes = sizes::kept};
    static constexpr bool keeps_sizes = true;
};

template <sizes Sizes>
constexpr bool kept = Sizes == sizes::kept;

template <sizes Sizes>
struct on_pages : heap_case<Sizes> {
    static constexpr const char* name = kept<Sizes> ? "kept_on_pages" : "known_on_pages";
    static constexpr bool has_upstream = false;
    ordered_heap subject{heap_case<Sizes>::options};
    explicit on_pages(upstream) {}
};

template <sizes Sizes>
struct on_upstream : heap_case<Sizes> {
    static constexpr const char* name = kept<Sizes> ? "kept_on_malloc" : "known_on_malloc";
    ordered_heap subject;
    explicit on_upstream(upstream up) : subject{heap_case<Sizes>::options, up} {}
};

template <sizes Sizes>
struct with_small_blocks : heap_case<Sizes> {
    static constexpr const char* name = kept<Sizes> ? "kept_small_blocks" : "known_small_blocks";
    ordered_heap subject;
    explicit with_small_blocks(upstream up)
        : subject{ordered_options{.sizes = Sizes, .block_bytes = 4_KiB}, up} {}
};

template <sizes Sizes>
struct in_a_buffer : heap_case<Sizes> {
    static constexpr const char* name = kept<Sizes> ? "kept_in_a_buffer" : "known_in_a_buffer";
    static constexpr bool has_upstream = false;
    static constexpr std::size_t capacity = 16_MiB;
    raw_buffer buffer{capacity};
    linear_resource memory{std::span<std::byte>{buffer}};
    ordered_heap subject{heap_case<Sizes>::options, &memory};
    explicit in_a_buffer(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(
    ordered_heap, conformance,
    (cases<on_pages<sizes::given>, on_upstream<sizes::given>, with_small_blocks<sizes::given>,
           in_a_buffer<sizes::given>, on_pages<sizes::kept>, on_upstream<sizes::kept>,
           with_small_blocks<sizes::kept>, in_a_buffer<sizes::kept>>()),
    case_name);

} // namespace conformance_suite::ordered
