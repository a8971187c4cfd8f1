// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// malloc, free and their like, as malloc(3) and POSIX have them.
#include "entry.hpp"
#include "memory.hpp"

#include <arenite/core/contract.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace arenite;
using drop_in::give;
using drop_in::memory;
using drop_in::no_memory;
using drop_in::take;

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {

namespace {

/// Where no slot lies ready.
[[nodiscard]] void* take_rest(std::size_t bytes) noexcept {
    look();
    detail::slab_heap* const own = detail::thread_table::current_of_thread(0);
    void* p =
        own != nullptr ? own->try_take_any(bytes, usual_alignment) : nullptr; // while it watches
    if (p == nullptr)
        p = affinity_heap::of<of_malloc>().try_allocate(bytes, usual_alignment);
    if (own == nullptr) [[unlikely]]
        begin_owed_watch(); // it has a heap by now
    return p;
}

} // namespace

void* take_slow(std::size_t bytes) noexcept {
    // Once for all that follows: the heap does not ask again, see slab_front::allocate_slow.
    void* const p = ready()->try_take_any(bytes, usual_alignment);
    return p != nullptr ? p : take_rest(bytes);
}

void give_slow(void* p) noexcept {
    if (p == nullptr)
        return;
    detail::slab_front* const heap = ready();
    if (heap != &detail::slab_front::nobody)
        return static_cast<detail::slab_heap*>(heap)->deallocate_elsewhere(p, detail::unknown_bytes,
                                                                           1);
    look();
    detail::slab_heap* const own = detail::thread_table::current_of_thread(0);
    if (own == nullptr || !own->try_give(p))
        affinity_heap::of<of_malloc>().deallocate(p);
}

void* take_aligned_slot(std::size_t bytes, std::size_t alignment) noexcept {
    constexpr std::size_t page = 4096;
    if (alignment > page || !is_alignment(alignment) || bytes <= alignment / 2 ||
        bytes > detail::size_class::largest_bytes)
        return nullptr;
    const std::size_t room = align_up(bytes, alignment);
    // Slots lie at multiples of 1 KiB, those of whole small pages at such: see slab_heap.
    if (alignment > detail::size_class::largest_alignment && room % page != 0)
        return nullptr;
    const unsigned slot_class = detail::size_class::computed(room);
    if (detail::size_class::slot_bytes(slot_class) != room)
        return nullptr;
    void* p = ready()->try_take(slot_class);
    if (p == nullptr)
        p = take_rest(room);
    if (p == nullptr || is_aligned(p, alignment))
        return p;
    give(p); // among others, which do not lie so
    return nullptr;
}

/// Pages of the process that are resident; 0 where the system does not tell. Asked by the calls of
/// the system themselves: malloc_trim is no place where a thread may be cancelled.
static std::size_t resident_pages() noexcept {
    const int before = errno;
    char text[64] = "";
    const long file = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        static_cast<void>(::syscall(SYS_read, file, text, sizeof text - 1));
        ::syscall(SYS_close, file);
    }
    errno = before;
    const char* const second = std::strchr(text, ' ');
    return second == nullptr ? 0 : std::strtoul(second, nullptr, 10);
}

void* no_memory() noexcept {
    errno = ENOMEM;
    return nullptr;
}

namespace {

/// Up to here an object has no pages of its own: to move it costs little.
constexpr std::size_t most_copied = 32768;

ARENITE_NOINLINE void* malloc_slow(std::size_t bytes) noexcept {
    void* const p = take_slow(bytes);
    return p != nullptr ? p : no_memory();
}

/// Memory that comes from the system, or went there before, is zero, and stays untouched.
ARENITE_NOINLINE void* take_large_zeroed(std::size_t bytes) noexcept {
    void* const p = take_slow(bytes);
    if (p == nullptr)
        return no_memory();
    return detail::holds_zeros(p, bytes) ? p : std::memset(p, 0, bytes);
}

[[noreturn]] ARENITE_COLD void refuse(const char* call, const void* p) {
    contract_violation_f(std::source_location::current(),
                         "%s: %p is no memory of malloc, or was freed before", call, p);
}

[[nodiscard]] std::size_t page_bytes() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

[[nodiscard]] void* take_aligned(std::size_t alignment, std::size_t bytes) noexcept {
    void* const p = take(bytes, alignment);
    return p != nullptr ? p : no_memory();
}

} // namespace

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite

MALLOC_ENTRY void* malloc(std::size_t bytes) MALLOC_NOEXCEPT {
    void* const p = drop_in::take_ready(bytes);
    return p != nullptr ? p : drop_in::malloc_slow(bytes);
}

MALLOC_ENTRY void free(void* p) MALLOC_NOEXCEPT { give(p); }

// C23, in glibc since 2.43. Sizes are not used, as with delete.
MALLOC_ENTRY void free_sized(void* p, std::size_t) MALLOC_NOEXCEPT { give(p); }
MALLOC_ENTRY void free_aligned_sized(void* p, std::size_t, std::size_t) MALLOC_NOEXCEPT { give(p); }

MALLOC_ENTRY void* calloc(std::size_t count, std::size_t bytes) MALLOC_NOEXCEPT {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) [[unlikely]]
        return no_memory();
    if (all > detail::size_class::largest_bytes)
        return drop_in::take_large_zeroed(all);
    void* const p = take(all);
    return p != nullptr ? std::memset(p, 0, all) : no_memory();
}

MALLOC_ENTRY void* realloc(void* p, std::size_t bytes) MALLOC_NOEXCEPT {
    if (p == nullptr)
        return malloc(bytes);
    if (bytes == 0) {
        give(p);
        return nullptr;
    }
    const std::size_t room = memory::size_of(p);
    if (room == 0) [[unlikely]]
        drop_in::refuse("realloc", p);
    // An object that shrinks by less than half stays.
    if (room >= bytes && bytes >= room / 2 && room <= drop_in::most_copied)
        return p;
    if (room <= drop_in::most_copied || bytes <= drop_in::most_copied) {
        void* const q = take(bytes);
        if (q == nullptr) [[unlikely]]
            return bytes <= room ? p : no_memory(); // one that shrinks may stay
        std::memcpy(q, p, std::min(room, bytes));
        give(p);
        return q;
    }
    void* const q = detail::reallocate_any(p, bytes, drop_in::usual_alignment);
    return q != nullptr ? q : bytes <= room ? p : no_memory();
}

MALLOC_ENTRY void* reallocarray(void* p, std::size_t count, std::size_t bytes) MALLOC_NOEXCEPT {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) [[unlikely]]
        return no_memory();
    return realloc(p, all);
}

/// An alignment that is no power of two is rounded up to one, as the C library does.
MALLOC_ENTRY void* memalign(std::size_t alignment, std::size_t bytes) MALLOC_NOEXCEPT {
    constexpr std::size_t largest_power = SIZE_MAX / 2 + 1;
    if (alignment > largest_power) {
        errno = EINVAL;
        return nullptr;
    }
    return drop_in::take_aligned(std::bit_ceil(alignment), bytes);
}

MALLOC_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) MALLOC_NOEXCEPT {
    if (!is_alignment(alignment)) {
        errno = EINVAL;
        return nullptr;
    }
    return drop_in::take_aligned(alignment, bytes);
}

MALLOC_ENTRY int posix_memalign(void** to, std::size_t alignment,
                                std::size_t bytes) MALLOC_NOEXCEPT {
    if (!is_alignment(alignment) || alignment % sizeof(void*) != 0)
        return EINVAL;
    void* const p = drop_in::take_aligned(alignment, bytes); // errno as in glibc, too
    if (p == nullptr)
        return ENOMEM;
    *to = p;
    return 0;
}

MALLOC_ENTRY void* valloc(std::size_t bytes) MALLOC_NOEXCEPT {
    return drop_in::take_aligned(drop_in::page_bytes(), bytes);
}

MALLOC_ENTRY void* pvalloc(std::size_t bytes) MALLOC_NOEXCEPT {
    const std::size_t page = drop_in::page_bytes();
    if (bytes > PTRDIFF_MAX)
        return no_memory();
    return drop_in::take_aligned(page, align_up(std::max<std::size_t>(bytes, 1), page));
}

MALLOC_ENTRY std::size_t malloc_usable_size(void* p) MALLOC_NOEXCEPT { return memory::size_of(p); }

/// 1 if memory went to the system: pages of free objects count, too, whose addresses stay; where
/// /proc can be read.
MALLOC_ENTRY int malloc_trim(std::size_t) MALLOC_NOEXCEPT {
    const std::size_t before = drop_in::resident_pages();
    const auto done = affinity_heap::trim_all();
    const std::size_t after = drop_in::resident_pages();
    return done.bytes_returned != 0 || (after != 0 && after < before) ? 1 : 0;
}
