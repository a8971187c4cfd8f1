// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::affinity {

template <class R>
struct options_of;
template <>
struct options_of<intrusive_resource> {
    using type = intrusive_options;
};
template <>
struct options_of<slots_resource> {
    using type = slots_options;
};

template <class R>
struct strategy_case : conformance_case {
    static constexpr bool keeps_sizes = true;
    using options = typename options_of<R>::type;
};

template <class R>
struct on_pages : strategy_case<R> {
    static constexpr const char* name = "on_pages";
    static constexpr bool has_upstream = false;
    R subject{};
    explicit on_pages(upstream) {}
};

template <class R>
struct on_malloc : strategy_case<R> {
    static constexpr const char* name = "on_malloc";
    R subject;
    explicit on_malloc(upstream up) : subject{up} {}
};

template <class R>
struct with_small_blocks : strategy_case<R> {
    static constexpr const char* name = "with_small_blocks";
    R subject;
    explicit with_small_blocks(upstream up)
        : subject{typename strategy_case<R>::options{.block_bytes = 4_KiB, .alignment = 8}, up} {}
};

template <class R>
struct returning_all : strategy_case<R> {
    static constexpr const char* name = "returning_all";
    R subject;
    explicit returning_all(upstream up)
        : subject{typename strategy_case<R>::options{.alignment = 16,
                                                     .policy = return_policy::return_all},
                  up} {}
};

template <class R>
struct in_a_buffer : strategy_case<R> {
    static constexpr const char* name = "in_a_buffer";
    static constexpr bool has_upstream = false;
    static constexpr std::size_t capacity = 16_MiB;
    raw_buffer buffer{capacity};
    linear_resource memory{std::span<std::byte>{buffer}};
    R subject{&memory};
    explicit in_a_buffer(upstream) {}
};

template <class R>
auto cases_on() {
    return cases<on_pages<R>, on_malloc<R>, with_small_blocks<R>, returning_all<R>,
                 in_a_buffer<R>>();
}

INSTANTIATE_TEST_SUITE_P(intrusive_resource, conformance, cases_on<intrusive_resource>(),
                         case_name);
INSTANTIATE_TEST_SUITE_P(slots_resource, conformance, cases_on<slots_resource>(), case_name);

// ---- the heap of an affinity, which the process has but once ------------------------------------

struct conforming {
    static constexpr std::string_view name = "conforming";
};
struct conforming_kept {
    static constexpr std::string_view name = "conforming, sizes kept";
    static constexpr arenite::sizes sizes = arenite::sizes::kept;
};
/// An affinity_heap by another name: a case holds its subject. It owns and lists nothing, since
/// operator new tells neither.
template <AffinityTag A>
struct heap_of final : resource_base<heap_of<A>> {
    static affinity_heap& heap() noexcept { return affinity_heap::of<A>(); }
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return heap().try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        heap().deallocate(p, bytes, alignment);
    }
    void trim() noexcept { heap().trim(); }
    [[nodiscard]] arenite::usage usage() const noexcept { return heap().usage(); }
};

template <AffinityTag A, affinity_strategy Strategy>
struct of_an_affinity : conformance_case {
    static constexpr const char* name = A::name.data();
    static constexpr bool has_upstream = false;
    heap_of<A> subject;
    explicit of_an_affinity(upstream) {
        use_affinity_strategy(Strategy);
        subject.trim(); // what a test before this one left empty
    }
    ~of_an_affinity() { use_affinity_strategy(affinity_strategy::ordered); }
};

struct of_no_tag : conformance_case {
    static constexpr const char* name = "shared_heap";
    static constexpr bool has_upstream = false;
    static constexpr bool keeps_sizes = true;
    shared_heap subject{};
    explicit of_no_tag(upstream) {}
};

std::string heap_number(const testing::TestParamInfo<promises>& info) {
    return "heap_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(affinity_heap, conformance,
                         (cases<of_an_affinity<conforming, affinity_strategy::ordered>,
                                of_an_affinity<conforming_kept, affinity_strategy::ordered>,
                                of_an_affinity<conforming, affinity_strategy::intrusive>,
                                of_an_affinity<conforming, affinity_strategy::slots>,
                                of_an_affinity<conforming, affinity_strategy::standard>>()),
                         heap_number);
INSTANTIATE_TEST_SUITE_P(shared_heap, conformance, (cases<of_no_tag>()), heap_number);

} // namespace conformance_suite::affinity
