// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/detail/page_mutex.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/detail/return_waves.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {
union process_pages;
} // namespace detail

/// Which memory of a page_resource asks the system for huge pages.
enum class huge_pages : unsigned char {
    automatic, ///< what will be filled, from 1 MiB on; none for small users
    never,     ///< none, even if the system would use them unasked
    always,    ///< every request
};

/// Options of a page_resource; the defaults are those of page_source().
struct page_options {
    /// Address space that the first range may grow to: 256 GiB, or 256 MiB on 32-bit systems. It
    /// begins with 64 MiB.
    std::size_t reserve_bytes = std::size_t{1} << (sizeof(void*) == 8 ? 38 : 28);
    huge_pages huge = huge_pages::automatic;
    bool prefault = false; ///< make memory resident before handing it out

    /// How long freed memory stays resident with its addresses; 0: returned to the system at once.
    std::uint32_t delay_ms = 1000;
    /// Limit on freed memory that waits: together with what is in use, no more than the peak of
    /// use and a third of it, and at most this many bytes; or a third of the peak if that is more,
    /// or 4 MiB unless this is less. Also no more than 32 MiB, or a quarter of what is in use if
    /// that is more; of a program that has twice come back for what it gave back, twice the most
    /// by which use rose then, if that is more. Beside a request that gets memory that did
    /// not wait, no more than an eighth of the peak, or 16 MiB.
    std::size_t most_waiting_bytes = 256_MiB;
    /// The clock for the delay: any that never goes back.
    std::uint64_t (*now_ms)() noexcept = &detail::os::platform::now_ms;
};

/// Pages of the operating system, lowest address first: the default upstream of heaps and pools.
///
///     range   |aaaa|b...|cccccccccccc|....|....|dddd|....|....|....   64 MiB of addresses, doubled
///             |<-->| a unit: 64 KiB
///     taken     1    1    1  1  1      0    0    1    0   ...         64-ary tree of bits, apart
///     waiting   0    0    0  0  0      1    0    0    0   ...         free, with its memory
///     pages    16    2   48  -  -      -    -   16                    size of what begins here
///     usable  <------------------------------------->                 grows by 4 MiB
///     window  |<------------------->|<------------------->|           2 MiB: huge, or small pages
///
/// One range of addresses is reserved at the first request, where it can grow in place to 256 GiB,
/// and no more of them than are soon needed: a program may limit its addresses later. It is made
/// usable from below, as far as anything was ever handed out, so it stays one mapping of the
/// kernel, whatever is free in it. If the system refuses addresses (ulimit -v), fewer are taken, at
/// most half of what is available; if a range can grow no more, further ones are reserved. Before a
/// request fails for want of addresses, those of what waits go back, also at page_source(). If the
/// system limits usable memory and refuses it (ulimit -d), access is granted request by request
/// from then on, and no memory waits.
///
/// Memory is returned with a delay. Freed units merge with their neighbours by being zero bits, and
/// *wait*: a request that gets their addresses meanwhile gets them with their memory, without a
/// page fault. Addresses come first: the lowest that fit are handed out, even if higher ones wait;
/// so fresh order is address order. Only a request of about 1 MiB and more gets the shortest run
/// that waits and holds it, of 64 that do at most, if there is one: else much that is resident
/// would go, and as much be cleared.
/// What has waited for `delay_ms` goes to the system at the next call by any user, 2 MiB a call
/// (128 MiB of huge pages), so no call takes much more than 1 ms; give_back_due() is such a call,
/// which heaps make of their upstream when they are slow anyway. The amount that waits is limited
/// (see most_waiting_bytes); beyond that the oldest goes at once, at a free up to twice as much as
/// came back, at a request no more than it gets that did not wait, and the rest of its huge pages.
/// release() and trim() do not wait.
/// A program that has twice come back for what it gave back finds it for four delays.
///
/// From 1 MiB on, what will be filled (page_use::dense) lies in huge pages, which requests share:
/// at the lowest place in windows that are huge, or of which nothing is in use, unless a place of
/// that size waits, whatever its pages. Requests of a huge page and more have theirs, and their end
/// is shared if it will be filled. A window goes back as a whole when nothing of it is in use; one
/// that loses a part is in small pages from then on, so such parts go last.
///
/// Use when:  a heap or pool needs spans of 64 KiB and more, of any alignment. Not for objects.
/// Cost:      allocate and deallocate take a lock and a search of the bits that skips full words
///            and what was searched in vain before, from 1 MiB on also one of the bits of what
///            waits; usually no system call, one or two for a huge page and each 4 MiB that were
///            never used. The first touch of a page costs more.
/// Overhead:  addresses in units of 64 KiB, memory in pages; 4.6 bytes of bookkeeping a unit.
/// Limits:    any alignment that the address space has; a request of less than 2^32 pages.
/// Threads:   any. page_source() keeps working in the child of a process that forks.
/// Failure:   out_of_memory / nullptr; nothing changes. Freeing anything but the start of a live
///            allocation, or with a size of other pages, is a contract violation in every build.
///
/// Fresh memory is zero; memory that waited is as its last user left it. Destruction returns all of
/// it, whatever is live. ARENITE_HUGE_PAGES=automatic, never or always in the environment
/// configures page_source().
class page_resource final : public resource_base<page_resource> {
public:
    /// The unit of addresses: everything handed out starts at a multiple of it.
    static constexpr std::size_t unit_bytes = 64_KiB;

    static constexpr bool is_concurrent = true;

    constexpr page_resource() noexcept = default;
    constexpr explicit page_resource(page_options options) noexcept : options_{options} {}
    ~page_resource() override;

    /// Whole pages at the lowest address that fits, aligned to 64 KiB and to `alignment`; a request
    /// of at least one huge page is aligned to that, too. nullptr if there is no memory.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return lend(bytes, alignment, page_use::sparse).p;
    }

    /// try_allocate with a hint of how the memory will be used. Tells whether it is zero.
    [[nodiscard]] lent_memory lend(std::size_t bytes, std::size_t alignment, page_use use) noexcept;

    /// Makes memory resident ahead, in one piece, in huge pages where it can: it waits, and the
    /// next requests that fit get it without a page fault. For the time between two frames, or a
    /// thread of its own. False where there is no memory, or nothing may wait; nothing changes
    /// then. What is not wanted goes after the usual delay.
    bool prepare(std::size_t bytes) noexcept;

    /// Frees the addresses, and returns the memory to the system after a delay. bytes is the
    /// requested size.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Frees addresses and memory at once.
    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Returns some of the memory that has waited long enough to the system, so little that the
    /// call takes no more than about 1 ms. One load if nothing waits, and no system call before its
    /// time. Also for the loop of a program that may make no other call for a while: for each
    /// frame, or from a timer. True while more is due, or will be.
    ARENITE_INLINE bool give_back_due() noexcept {
        if (next_due_ms_.load(std::memory_order_relaxed) == UINT64_MAX) [[likely]]
            return false;
        give_due();
        return next_due_ms_.load(std::memory_order_relaxed) != UINT64_MAX;
    }
    /// The former name of give_back_due(), until 1.0.
    ARENITE_INLINE void purge_due() noexcept { give_back_due(); }

    /// Returns the memory of the whole pages in [p, p + bytes) to the system. The addresses stay
    /// allocated and usable; the contents are lost. Huge pages that they lie in are small ones from
    /// then on, or the system would fill them up again.
    void purge(void* p, std::size_t bytes) noexcept;

    /// True for an address in one of its ranges, allocated or not. One subtraction and comparison
    /// for the first range, where all memory lies unless it was exhausted; then a walk over a few
    /// ranges.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        // The size is published after the address.
        const std::size_t bytes = first_bytes_.load(std::memory_order_acquire);
        if (address_of(p) - first_address_.load(std::memory_order_relaxed) < bytes)
            return true;
        return further_ranges_.load(std::memory_order_acquire) != 0 && owns_further(p);
    }

    /// Whole pages in use; reserved adds the units that wait, what is free of huge pages, and the
    /// bookkeeping. Exact at the moment of the call, O(huge pages).
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Returns everything that waits to the system, ranges that hold nothing, except the first, and
    /// the addresses above the highest memory in use.
    void trim() noexcept;

    /// The options as given, combined with the environment once the first request was made.
    [[nodiscard]] page_options options() const noexcept;

private:
    friend union detail::process_pages;
    struct range;
    struct request;
    struct run;
    struct transit;
    using held_lock = std::unique_lock<detail::os::page_mutex>;

    /// How much waits and since when. Freed memory joins the young generation; when that has
    /// collected for half a delay and no old one is left, it becomes the old one, which is due a
    /// delay after the last of it was freed. So everything waits for at least one delay, and at
    /// most two under constant use.
    struct generations {
        std::size_t units[2] = {};
        std::size_t young = 0; ///< the generation of what is freed now
        std::uint64_t young_since_ms = 0;
        std::uint64_t young_until_ms = 0;
        std::uint64_t old_until_ms = 0;

        [[nodiscard]] std::size_t old() const noexcept { return 1 - young; }
        [[nodiscard]] std::size_t all_units() const noexcept { return units[0] + units[1]; }
        void add(std::size_t n, std::uint64_t now_ms) noexcept;
        [[nodiscard]] bool are_due(std::uint64_t now_ms, std::uint64_t delay_ms) noexcept;
        [[nodiscard]] std::uint64_t next_due_ms(std::uint64_t delay_ms) const noexcept;
    };

    struct taken_units {
        std::size_t waited; ///< so many of them
        bool is_zero;       ///< all of them are
    };
    struct from_environment {};

    constexpr explicit page_resource(from_environment) noexcept : ask_environment_{true} {}

    static void see_to_forks() noexcept;
    [[nodiscard]] bool owns_further(const void* p) const noexcept;
    [[nodiscard]] range* find_range(const void* p) const noexcept;
    [[nodiscard]] range* add_range(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] static range* make_range(std::size_t bytes, std::size_t kept,
                                           std::size_t alignment) noexcept;
    [[nodiscard]] bool grow(range& r, std::size_t end) noexcept;
    [[nodiscard]] range* find_place(const request& wanted, bool shared,
                                    std::size_t& place) noexcept;
    [[nodiscard]] range* take_place(const request& wanted, std::size_t& place) noexcept;
    void end_empty_ranges() noexcept;
    [[nodiscard]] bool make_room(held_lock& lock) noexcept;
    void give_up_addresses(range& r) noexcept;
    [[nodiscard]] bool raise_usable(range& r, std::size_t end) noexcept;
    [[nodiscard]] bool make_usable(range& r, std::size_t i, std::size_t n) noexcept;
    [[nodiscard]] bool shares_windows(const request& wanted) const noexcept;
    [[nodiscard]] bool has_own_windows(const range& r, const request& wanted) const noexcept;
    [[nodiscard]] bool open_windows(range& r, std::size_t i, std::size_t n) noexcept;
    void make_huge(range& r, std::size_t first, std::size_t end, std::size_t touched) noexcept;
    void close_window(range& r, std::size_t w) noexcept;
    void close_windows(const std::byte* p, std::size_t bytes) noexcept;
    [[nodiscard]] run leave_windows(range& r, const run& units) noexcept;
    [[nodiscard]] static request request_for(std::size_t page_bytes, std::size_t alignment,
                                             page_use use) noexcept;
    [[nodiscard]] taken_units take(range& r, std::size_t i, const request& wanted) noexcept;
    void take_no_more(range& r, std::size_t i, const request& wanted, std::size_t touched,
                      bool is_zero) noexcept;
    [[nodiscard]] bool finish(range& r, std::size_t i, const request& wanted,
                              std::size_t touched) noexcept;
    void read_environment() noexcept;
    void take_back(void* p, std::size_t bytes, bool at_once) noexcept;
    void let_wait(range& r, std::size_t i, std::size_t n, std::uint64_t now) noexcept;
    void give_due() noexcept;
    [[nodiscard]] std::uint64_t delay_now_ms() const noexcept;
    [[nodiscard]] std::size_t most_waiting_units(bool beside_fresh) const noexcept;
    void give_excess(held_lock& lock, std::size_t most, std::uint64_t now,
                     bool beside_fresh) noexcept;
    std::size_t give_oldest(held_lock& lock, std::size_t allowed, std::size_t most) noexcept;
    [[nodiscard]] run take_waiting(range*& from, std::size_t generation, std::size_t most,
                                   std::size_t most_huge) noexcept;
    run give_to_system(held_lock& lock, range& r, const run& units) noexcept;
    void note_next_due() noexcept;

    std::atomic<std::uintptr_t> first_address_{0};
    std::atomic<std::size_t> first_bytes_{0};
    std::atomic<std::size_t> further_ranges_{0};
    std::atomic<std::uint64_t> next_due_ms_{UINT64_MAX};
    std::atomic<bool> scarce_{false};      // the system has refused to make units usable
    mutable detail::os::page_mutex mutex_; // guards what follows, and the ranges
    range* first_ = nullptr;
    page_options options_;
    bool ask_environment_ = false;
    bool is_dirty_ = false; ///< what went to the system may not be zero
    struct allocated {
        std::size_t bytes = 0;
        std::size_t high_water_bytes = 0;
        std::size_t count = 0;
        std::size_t units = 0; ///< that the bytes lie in
        std::size_t most_units = 0;
    } in_use_;
    std::size_t prepared_units_ = 0; ///< may wait beside all else
    transit* transits_ = nullptr;
    generations waiting_;
    detail::return_waves waves_;
};

namespace detail {

/// Holds the process's page_resource without ever destroying it.
union process_pages {
    constexpr process_pages() noexcept : pages{page_resource::from_environment{}} {}
    process_pages(const process_pages&) = delete;
    process_pages& operator=(const process_pages&) = delete;
    ~process_pages() {}

    static void see_to_forks() noexcept { page_resource::see_to_forks(); }

    page_resource pages;
};

extern process_pages the_process_pages;

/// platform::reserve; where the system refuses, once more without the addresses of what waits at
/// page_source(). With no lock that a user of page_source() may wait for.
[[nodiscard]] void* reserve_addresses(std::size_t bytes, std::size_t alignment) noexcept;

} // namespace detail

/// The process's page source: never destroyed, usable before main and after it.
[[nodiscard]] inline page_resource& page_source() noexcept {
    return detail::the_process_pages.pages;
}

} // namespace ARENITE_ABI
} // namespace arenite
