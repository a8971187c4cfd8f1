// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The call sites of live objects, in checked builds. In this order: how many frames are kept;
// walking the stack by its frame pointers; the table from an address to its sites, which grows
// under a lock; the text for reports of leaks and misuse. Nothing here may allocate from the
// library: tables are of calloc, and a walk of the stack reads memory only. The number of frames is
// fixed by the first allocation that is noted, since records have that length.
#include <arenite/check/call_sites.hpp>

#include <arenite/check/detail/call_stack.hpp>
#include <arenite/check/no_allocation_scope.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include "../core/environment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define ARENITE_HAS_FRAME_POINTERS 1
#include <pthread.h>
#else
#define ARENITE_HAS_FRAME_POINTERS 0
#endif

#if defined(__GNUC__)
#define ARENITE_RETURN_ADDRESS() __builtin_return_address(0)
#define ARENITE_FRAME_ADDRESS() __builtin_frame_address(0)
#else
#define ARENITE_RETURN_ADDRESS() nullptr
#define ARENITE_FRAME_ADDRESS() nullptr
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace call_sites {

namespace {

using address = std::uintptr_t;
using stack = std::array<address, most>; ///< the innermost first; 0 after the last

// ---- how many -----------------------------------------------------------------------------------

constexpr unsigned unknown = ~0u;
constinit std::atomic<unsigned> kept{unknown};

unsigned ask_for_site_count() noexcept {
    const std::size_t asked = arenite::detail::number_in_environment("ARENITE_SITES");
    const auto mine = static_cast<unsigned>(std::min<std::size_t>(asked, most));
    unsigned first = unknown;
    return kept.compare_exchange_strong(first, mine, std::memory_order_relaxed) ? mine : first;
}

// ---- walking the stack --------------------------------------------------------------------------

#if ARENITE_HAS_FRAME_POINTERS && ARENITE_CHECKS
struct bounds {
    address begin = 0;
    address end = 0;
    bool known = false;
};

/// Where this thread's stack lies; asked once a thread.
const bounds& stack_bounds() noexcept {
    thread_local constinit bounds mine;
    if (!mine.known) {
        mine.known = true; // the calls below may allocate
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            void* begin = nullptr;
            std::size_t bytes = 0;
            if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0)
                mine = {reinterpret_cast<address>(begin), reinterpret_cast<address>(begin) + bytes,
                        true};
            pthread_attr_destroy(&attributes);
        }
    }
    return mine;
}

/// A frame is the frame pointer of the caller, and the address to return to behind it. Code without
/// frame pointers leaves anything in the register: what does not lead up the stack ends the walk.
#if defined(__clang__)
[[clang::no_sanitize("address", "memory")]]
#elif defined(__SANITIZE_ADDRESS__)
[[gnu::no_sanitize_address]]
#endif
void walk(const void* frame, stack& to, unsigned n) noexcept {
    const bounds& within = stack_bounds();
    auto here = reinterpret_cast<address>(frame);
    // Bounds are those of the thread's own stack; frames of another one could not be told from
    // garbage.
    if (here < within.begin) // a fiber's
        return;
    for (unsigned i = 1; i < n; ++i) {
        const address next = *reinterpret_cast<const address*>(here);
        // Frames ascend and are aligned: each step reads within the stack and the loop ends,
        // whatever the register held.
        if (next <= here || next % sizeof(address) != 0 || next + 2 * sizeof(address) > within.end)
            return;
        here = next;
        to[i] = reinterpret_cast<const address*>(here)[1];
    }
}
#else
void walk(const void*, stack&, unsigned) noexcept {}
#endif

/// The sites of the call that returns to `site`, from the function that it called.
stack sites_from(void* site, const void* frame, unsigned n) noexcept {
    stack found{};
    found[0] = reinterpret_cast<address>(site);
    walk(frame, found, n);
    return found;
}

// ---- the table ----------------------------------------------------------------------------------

/// From an address that was handed out to two stacks of n: open addressing, nothing is ever
/// removed. A record is the address, the stack of its allocation, and that of its free, 0 while it
/// is not.
class site_table {
public:
    void allocated(const void* p, const stack& sites, unsigned n) noexcept {
        if (words_ == nullptr || used_ >= capacity_ / 2)
            grow(n);
        address* const record = words_ == nullptr ? nullptr : place_of(p);
        if (record == nullptr)
            return;
        // An address that is handed out again takes over its record: the table is as long as there
        // are addresses, not allocations.
        used_ += record[0] == 0 ? 1 : 0;
        record[0] = reinterpret_cast<address>(p);
        std::copy_n(sites.begin(), n_, record + 1);
        std::fill_n(record + 1 + n_, n_, 0);
    }

    /// False where it was freed before: the first free stays, which a report of a second is about;
    /// and where p is not known.
    bool freed(const void* p, const stack& sites) noexcept {
        address* const record = find(p);
        if (record == nullptr || record[1 + n_] != 0)
            return false;
        std::copy_n(sites.begin(), n_, record + 1 + n_);
        return true;
    }

    /// This free was refused.
    void take_back(const void* p, const stack& sites) noexcept {
        address* const record = find(p);
        if (record != nullptr && std::equal(record + 1 + n_, record + 1 + 2 * n_, sites.begin()))
            std::fill_n(record + 1 + n_, n_, 0);
    }

    /// False where p is not known.
    [[nodiscard]] bool get(const void* p, stack& allocation, stack& free) noexcept {
        const address* const record = find(p);
        if (record == nullptr)
            return false;
        std::copy_n(record + 1, n_, allocation.begin());
        std::copy_n(record + 1 + n_, n_, free.begin());
        return true;
    }

private:
    [[nodiscard]] std::size_t stride() const noexcept { return 1 + 2 * std::size_t{n_}; }

    /// The record of p, or the free one that it would have; nullptr where none is free.
    [[nodiscard]] address* place_of(const void* p) const noexcept {
        const auto key = reinterpret_cast<address>(p);
        std::size_t i = static_cast<std::size_t>((key >> 3) * 0x9E3779B97F4A7C15u >> 20);
        for (std::size_t looks = 0; looks < capacity_; ++looks, ++i) {
            address* const record = words_ + (i & (capacity_ - 1)) * stride();
            if (record[0] == key || record[0] == 0)
                return record;
        }
        return nullptr;
    }

    [[nodiscard]] address* find(const void* p) const noexcept {
        address* const record = words_ == nullptr ? nullptr : place_of(p);
        return record == nullptr || record[0] == 0 ? nullptr : record;
    }

    /// To twice its size; stays as it is where there is no memory. The first n is that of all.
    void grow(unsigned n) noexcept {
        site_table larger;
        larger.n_ = words_ == nullptr ? n : n_;
        larger.capacity_ = std::max<std::size_t>(2 * capacity_, 1024);
        larger.words_ =
            static_cast<address*>(std::calloc(larger.capacity_, larger.stride() * sizeof(address)));
        if (larger.words_ == nullptr)
            return;
        larger.used_ = used_;
        for (std::size_t i = 0; i < capacity_; ++i) {
            const address* const record = words_ + i * stride();
            if (record[0] != 0)
                std::copy_n(record, stride(),
                            larger.place_of(reinterpret_cast<const void*>(record[0])));
        }
        std::free(words_);
        *this = larger;
    }

    address* words_ = nullptr; ///< never freed at the end: others are destroyed later
    std::size_t capacity_ = 0; ///< records; a power of two
    std::size_t used_ = 0;
    unsigned n_ = 0; ///< sites of a stack
};

constinit site_table known_sites;

#if ARENITE_CHECKS
/// A thread's latest free: if a violation concerns its address, it is the call that is refused,
/// since checked builds find misuse at the free itself.
struct latest_free {
    const void* p = nullptr;
    stack sites{};
    bool is_recorded = false; ///< as the first of that address
};
constinit thread_local latest_free latest;
#endif

using table_lock = arenite::detail::fork_lock<std::mutex>;

table_lock& lock_of_table() noexcept {
    return arenite::detail::process_lock<std::mutex, site_table>();
}

// ---- names --------------------------------------------------------------------------------------

void write_site(std::FILE* to, address site) {
    char text[1200];
    arenite::detail::code_place::of(site).write(text, sizeof text, site);
    std::fprintf(to, "      %s\n", text);
}

void write_stack(std::FILE* to, const char* what, const stack& sites) {
    if (sites[0] == 0)
        return;
    std::fprintf(to, "    %s at\n", what);
    for (std::size_t i = 0; i < sites.size() && sites[i] != 0; ++i)
        write_site(to, sites[i]);
}

} // namespace

unsigned count() noexcept {
    const unsigned now = kept.load(std::memory_order_relaxed);
    return now == unknown ? ask_for_site_count() : now;
}

unsigned detail::set_count_for_test(unsigned n) noexcept {
    const unsigned before = count();
    kept.store(std::min(n, most), std::memory_order_relaxed);
    return before;
}

ARENITE_NOINLINE void detail::note_allocation(const void* p, std::size_t bytes) noexcept {
    if (p != nullptr)
        no_allocation_scope::note(p, bytes, 1);
    const unsigned n = count();
    if (n == 0 || p == nullptr)
        return;
    const stack sites = sites_from(ARENITE_RETURN_ADDRESS(), ARENITE_FRAME_ADDRESS(), n);
#if ARENITE_CHECKS
    if (latest.p == p)
        latest = {};
#endif
    const std::lock_guard lock{lock_of_table()};
    known_sites.allocated(p, sites, n);
}

ARENITE_NOINLINE void detail::note_free(const void* p) noexcept {
    const unsigned n = count();
    if (n == 0 || p == nullptr)
        return;
    const stack sites = sites_from(ARENITE_RETURN_ADDRESS(), ARENITE_FRAME_ADDRESS(), n);
    [[maybe_unused]] bool is_first = false;
    {
        const std::lock_guard lock{lock_of_table()};
        is_first = known_sites.freed(p, sites);
    }
#if ARENITE_CHECKS
    latest = {p, sites, is_first};
#endif
}

namespace {

/// False where nothing is known of p.
bool get(const void* p, stack& allocation, stack& free) noexcept {
    if (count() == 0)
        return false;
    const std::lock_guard lock{lock_of_table()};
    return known_sites.get(p, allocation, free);
}

} // namespace

bool write(std::FILE* to, const void* p) {
    stack allocation{};
    stack free{};
    if (!get(p, allocation, free))
        return false;
    write_stack(to, "allocated", allocation);
    write_stack(to, "freed", free);
    return true;
}

void write_of_violation(const void* p) {
    if (!checks_enabled || count() == 0) // others note nothing
        return;
    std::fprintf(stderr, "arenite: %p\n", p);
    stack allocation{};
    stack free{};
    if (!get(p, allocation, free))
        std::fprintf(stderr, "    no allocation of it is known\n");
    write_stack(stderr, "allocated", allocation);
#if ARENITE_CHECKS
    if (latest.p == p) {
        if (latest.is_recorded) {
            const std::lock_guard lock{lock_of_table()};
            known_sites.take_back(p, latest.sites);
        } else {
            write_stack(stderr, "freed", free);
        }
        write_stack(stderr, "the call that is refused is", latest.sites);
        latest = {};
        return;
    }
#endif
    write_stack(stderr, "freed", free);
}

} // namespace call_sites
} // namespace ARENITE_ABI
} // namespace arenite
