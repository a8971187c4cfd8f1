// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/outside_memory.hpp>

#include <arenite/check/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/spin_lock.hpp>

#include <algorithm>
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

constinit spin_lock adding;
constinit std::atomic<unsigned> sources{1};
alignas(upstream) constinit std::byte places[most_sources * sizeof(upstream)] = {};

upstream& own(unsigned source) noexcept {
    return *std::launder(reinterpret_cast<upstream*>(places + source * sizeof(upstream)));
}

/// Differs from place to place, so that a copy of an object's surroundings is no object.
std::uint64_t mark_at(const void* p) noexcept {
    return std::uint64_t{magic ^ static_cast<std::uint32_t>(address_of(p) >> 4)} << 32;
}

} // namespace

unsigned outside_memory::source_of(const upstream& named) noexcept {
    const std::lock_guard lock{adding};
    const unsigned count = sources.load(std::memory_order_relaxed);
    for (unsigned i = 1; i < count; ++i)
        if (own(i).get() == named.get())
            return i;
    if (count == most_sources)
        contract_violation("no more than 254 different resources can be strategies of affinities");
    ::new (static_cast<void*>(places + count * sizeof(upstream))) upstream{named};
    sources.store(count + 1, std::memory_order_release);
    return count;
}

void outside_memory::lock_all() noexcept { adding.lock(); }
void outside_memory::unlock_all() noexcept { adding.unlock(); }

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
    ::new (static_cast<void*>(p - prefix_bytes))
        prefix{mark_at(p) | source << 16 | affinity << 8 |
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

/// Of memory that may be whoever's: AddressSanitizer may have no access to what lies before it.
[[gnu::noinline, gnu::no_sanitize_address]] std::uint64_t
marks_before(const outside_memory::prefix* p) noexcept {
    return p->marks;
}

} // namespace

outside_memory::prefix* outside_memory::of(void* p) noexcept {
    if (!is_aligned(p, default_alignment))
        return nullptr;
    auto* const before =
        std::launder(reinterpret_cast<prefix*>(static_cast<std::byte*>(p) - prefix_bytes));
    return marks_before(before) >> 32 == mark_at(p) >> 32 ? before : nullptr;
}

const outside_memory::prefix* outside_memory::of(const void* p) noexcept {
    return of(const_cast<void*>(p));
}

void outside_memory::deallocate(void* p, prefix& before, outside_count& count) noexcept {
    const prefix gone = before;
    before.marks = 0; // whoever frees it once more is found, while nobody has this memory
    const std::size_t alignment = gone.alignment();
    const std::size_t front = std::max(alignment, prefix_bytes);
    std::byte* const given = static_cast<std::byte*>(p) - front;
    count.bytes.fetch_sub(gone.size, std::memory_order_relaxed);
    count.allocations.fetch_sub(1, std::memory_order_relaxed);
    if (gone.source() != standard)
        own(gone.source()).deallocate(given, gone.size + front, alignment);
    else if (alignment > default_alignment)
        ::operator delete(given, std::align_val_t{alignment});
    else
        ::operator delete(given);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
