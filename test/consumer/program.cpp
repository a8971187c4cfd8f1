// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Built by all consumers: the whole library is to be had by one header, and names alone by
// another one, before it.
#include <arenite/fwd.hpp>

namespace {

namespace a = arenite;

struct row {
    int x;
};
template <class... T>
struct names {};
using forward =
    names<a::page_resource, a::usage, a::linear_resource, a::growing_linear_resource,
          a::double_ended_resource, a::double_buffered_resource, a::frame_resource<2>,
          a::inline_linear_resource<64>, a::free_list_resource, a::tlsf_resource, a::pool_resource,
          a::suballocator_resource, a::ordered_heap, a::deferred_frees, a::affinity_heap,
          a::shared_heap, a::intrusive_resource, a::budget_group, a::memory_slots,
          a::growing_vector<int, a::growing_linear_resource>, a::slots_resource,
          a::offset_allocator, a::offset_heap, a::container_pool,
          a::resource_allocator<int, a::ordered_heap>, a::pool_allocator<int, 0>,
          a::object_pool<row, a::object_rules>, a::unique_ptr<row, a::ordered_heap>,
          a::records<row, a::layout::aos>, a::records<row, a::layout::soa>,
          a::records<row, a::layout::aosoa<8>>, a::compacting_heap, a::handle<row>, a::pinned<row>,
          a::relocatable_ptr<row>, a::slot_map<row>, a::intrusive_ptr<row>, a::observer_ptr<row>>;

} // namespace

#include <arenite/arenite.hpp>

#include <cstdio>

namespace {

/// True for types that there are: a name alone has no size.
template <class... T>
constexpr bool there_are(names<T...>) {
    return ((sizeof(T) != 0) && ...);
}
static_assert(there_are(forward{}), "arenite/fwd.hpp names what the library has");
static_assert(sizeof(a::region_sink) != 0);

struct described {
    int first;
    double second;
};

} // namespace

static_assert(ARENITE_CHECKS == EXPECTED_CHECKS, "the package decides on checks, not its user");

int main() {
    int* answer = arenite::create<int>(arenite::system_resource(), 42);
    bool right = *answer == 42;
    arenite::destroy(arenite::system_resource(), answer);
    right = right && arenite::layout_of<described>().members.size() == 2; // links without -O too
    std::puts(right ? "consumer: right" : "consumer: wrong");
    return right ? 0 : 1;
}
