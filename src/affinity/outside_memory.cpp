// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that malloc or a resource of the user's gave to an affinity, with a prefix before each
// object. First the sources, then the pages that have prefixes, then allocating, finding a prefix
// from an address, and freeing.
#include <arenite/affinity/detail/outside_memory.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/lazy_array.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr unsigned most_sources = 255;
constexpr std::uint32_t magic = 0xa7e417e5;
// Source 0 is operator new; a user's resources begin at 1. They are never removed, since objects
// may come back to them at any time.
static_assert(most_sources <= 0x100 && most_affinities <= 0x10000); // as many bits as a prefix has

struct of_sources;
fork_lock<std::mutex>& adding() noexcept { return process_lock<std::mutex, of_sources>(); }
constinit std::atomic<unsigned> sources{1};
alignas(upstream) constinit std::byte upstream_places[most_sources * sizeof(upstream)] = {};

upstream& own(unsigned source) noexcept {
    return *std::launder(reinterpret_cast<upstream*>(upstream_places + source * sizeof(upstream)));
}

// ---- which pages have a prefix ------------------------------------------------------------------

// Memory before a pointer may be read only where it is known to be there: a mapping of somebody
// else's may begin at the pointer. So prefixes are counted by pages of 4 KiB, of which each has at
// most 128; where a page has one, all of it may be read.

constexpr std::size_t counted_bytes = 4096;
constexpr std::size_t leaf_pages = std::size_t{1} << 20;
constexpr unsigned address_bits = sizeof(void*) == 8 ? 48 : 32;
constexpr std::size_t leaf_count = (std::uint64_t{1} << address_bits) / counted_bytes / leaf_pages;
using page_count = std::atomic<std::uint8_t>;
static_assert(sizeof(page_count) == 1);

/// How many prefixes each page has.
constinit lazy_array<page_count, leaf_pages, leaf_count> prefixes;

/// The count of the page that an address lies in; null where it never had one.
page_count* prefixes_at(const void* p) noexcept {
    return prefixes.find(address_of(p) / counted_bytes);
}

#if ARENITE_HAS_MODULE_CLOSE
ARENITE_AT_MODULE_CLOSE void end_counts() noexcept {
    if (module_close::goes_on())
        prefixes.end();
}
#endif

/// Differs from place to place, so that a copy of an object's surroundings is no object.
std::uint64_t mark_at(const void* p) noexcept {
    return std::uint64_t{magic ^ static_cast<std::uint32_t>(address_of(p) >> 4)} << 32;
}

void give_back(unsigned source, void* given, std::size_t bytes, std::size_t alignment) noexcept {
    if (source != outside_memory::standard)
        own(source).deallocate(given, bytes, alignment);
    else if (alignment > default_alignment)
        ::operator delete(given, std::align_val_t{alignment});
    else
        ::operator delete(given);
}

} // namespace

unsigned outside_memory::source_of(const upstream& named) noexcept {
    const std::lock_guard lock{adding()};
    const unsigned count = sources.load(std::memory_order_relaxed);
    for (unsigned i = 1; i < count; ++i)
        if (own(i).get() == named.get())
            return i;
    if (count == most_sources)
        contract_violation("no more than 254 different resources can be strategies of affinities");
    ::new (static_cast<void*>(upstream_places + count * sizeof(upstream))) upstream{named};
    sources.store(count + 1, std::memory_order_release);
    return count;
}

void* outside_memory::try_allocate(unsigned source, unsigned affinity, outside_count& count,
                                   std::size_t bytes, std::size_t alignment) noexcept {
    alignment = std::max<std::size_t>(alignment, default_alignment);
    const std::size_t before = std::max(alignment, prefix_bytes);
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    const std::optional<std::size_t> total = checked_add(size, before);
    if (!total || *total > max_object_bytes)
        return nullptr;
    void* given = nullptr;
    if (source != standard)
        given = own(source).try_allocate(*total, alignment);
    else if (alignment > default_alignment)
        given = ::operator new(*total, std::align_val_t{alignment}, std::nothrow);
    else
        given = ::operator new(*total, std::nothrow);
    if (given == nullptr)
        return nullptr;
    std::byte* const p = static_cast<std::byte*>(given) + before;
    page_count* const count_here = prefixes.make(address_of(p - prefix_bytes) / counted_bytes);
    if (count_here == nullptr) {
        give_back(source, given, *total, alignment);
        return nullptr;
    }
    count_here->fetch_add(1, std::memory_order_relaxed);
    // The count goes up before the prefix is written: a page without a count is never read, and a
    // page with one may be read anywhere in it.
    ::new (static_cast<void*>(p - prefix_bytes))
        prefix{mark_at(p) | source << 24 | affinity << 8 |
                   static_cast<unsigned>(std::countr_zero(alignment)),
               size};
    const std::size_t now = count.bytes.fetch_add(size, std::memory_order_relaxed) + size;
    std::size_t most = count.high_water.load(std::memory_order_relaxed);
    while (most < now &&
           !count.high_water.compare_exchange_weak(most, now, std::memory_order_relaxed))
        ;
    return p;
}

namespace {

#if defined(__clang__)
#define ARENITE_ANY_MEMORY                                                                         \
    [[gnu::noinline, clang::no_sanitize("address"), clang::no_sanitize("thread"),                  \
      clang::no_sanitize("memory")]]
#elif defined(__GNUC__) // a clone would lose the attribute
#define ARENITE_ANY_MEMORY                                                                         \
    [[gnu::noinline, gnu::noclone, gnu::no_sanitize_address, gnu::no_sanitize_thread]]
#else
#define ARENITE_ANY_MEMORY
#endif

/// Reads memory that may be whoever's: a memory checker may know it as out of bounds, or another
/// thread may be writing it.
ARENITE_ANY_MEMORY std::uint64_t marks_before(const outside_memory::prefix* p) noexcept {
    return *const_cast<const volatile std::uint64_t*>(&p->marks);
}

} // namespace

outside_memory::prefix* outside_memory::of(void* p) noexcept {
    if (!is_aligned(p, default_alignment) || address_of(p) <= prefix_bytes)
        return nullptr;
    std::byte* const at = static_cast<std::byte*>(p) - prefix_bytes;
    const page_count* const count = prefixes_at(at);
    if (count == nullptr || count->load(std::memory_order_relaxed) == 0)
        return nullptr;
    auto* const before = std::launder(reinterpret_cast<prefix*>(at));
    return marks_before(before) >> 32 == mark_at(p) >> 32 ? before : nullptr;
}

const outside_memory::prefix* outside_memory::of(const void* p) noexcept {
    return of(const_cast<void*>(p));
}

void outside_memory::each(void (*f)(void* context, void* p, const prefix& found), void* context) {
    for (std::size_t i = 0; i < leaf_count; ++i) {
        const page_count* const leaf = prefixes.leaf(i);
        for (std::size_t page = 0; leaf != nullptr && page < leaf_pages; ++page) {
            if (leaf[page].load(std::memory_order_relaxed) == 0)
                continue;
            const std::uintptr_t begin = (i * leaf_pages + page) * counted_bytes;
            for (std::size_t at = 0; at < counted_bytes; at += prefix_bytes) {
                // NOLINTNEXTLINE(performance-no-int-to-ptr)
                void* const p = reinterpret_cast<void*>(begin + at + prefix_bytes);
                if (const prefix* const found = of(p))
                    f(context, p, *found);
            }
        }
    }
}

bool outside_memory::hand_to_checker(void* p) noexcept {
    if (chosen_strategy::now() != affinity_strategy::standard)
        return false;
    ::operator delete(p);
    return true;
}

void outside_memory::deallocate(void* p, prefix& before, outside_count& count) noexcept {
    const prefix gone = before;
    // Before the memory is given back: from then on it is not ours to write.
    before.marks = 0; // whoever frees it once more is found, while the memory is free
    const std::size_t alignment = gone.alignment();
    const std::size_t size = static_cast<std::size_t>(gone.size);
    const std::size_t front = std::max(alignment, prefix_bytes);
    std::byte* const given = static_cast<std::byte*>(p) - front;
    count.bytes.fetch_sub(size, std::memory_order_relaxed);
    count.allocations.fetch_sub(1, std::memory_order_relaxed);
    prefixes_at(&before)->fetch_sub(1, std::memory_order_relaxed);
    give_back(gone.source(), given, size + front, alignment);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
