// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Pages of the process that name their heap. The table of addresses is written after the page
// source lent the memory and before a heap has it, and cleared before the memory goes back: so no
// entry is left for memory that another owner may get.
#include <arenite/affinity/detail/affinity_pages.hpp>

#include <arenite/os/page_resource.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

static_assert(address_table::unit_bytes == page_resource::unit_bytes,
              "no unit of addresses has two owners");

static constinit address_table::leaves pages_of_affinities;
constinit address_table thread_heap_front::table{pages_of_affinities};

#if ARENITE_HAS_MODULE_CLOSE
void affinity_pages::closed() noexcept {
    if (module_close::goes_on())
        thread_heap_front::table.end();
}
#endif

namespace {

/// In whole units, as the page source hands them out.
std::size_t units_of(std::size_t bytes) noexcept {
    return align_up(bytes + (bytes == 0), address_table::unit_bytes);
}

} // namespace

lent_memory affinity_pages::lend(std::size_t bytes, std::size_t alignment, page_use use) noexcept {
    const lent_memory lent = page_source().lend(bytes, alignment, use);
    if (lent.p == nullptr || thread_heap_front::table.set(lent.p, units_of(bytes), word_))
        [[likely]]
        return lent;
    page_source().deallocate(lent.p, bytes, alignment);
    return {};
}

void affinity_pages::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    thread_heap_front::table.clear(p, units_of(bytes)); // before they can be another one's
    page_source().deallocate(p, bytes, alignment);
}

void affinity_pages::release(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    thread_heap_front::table.clear(p, units_of(bytes));
    page_source().release(p, bytes, alignment);
}

void affinity_pages::purge(void* p, std::size_t bytes) noexcept { page_source().purge(p, bytes); }

bool affinity_pages::give_back_due() noexcept { return page_source().give_back_due(); }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
