// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/pool/detail/slot_cache.hpp>
#include <arenite/pool/detail/slot_layout.hpp>
#include <arenite/pool/slot.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The common part of all pools of slots of one size: the calls, the figures and the reports.
///
///     allocate    hot slot, window                inlined, in slot_cache
///                 the run                         allocate_slow
///                 refill(): a word of bits ...    the pool
///     deallocate  run, hot slot                   inlined, in slot_cache
///                 half of the hot slots           deallocate_slow
///                 clear_slots(), clear_run()      the pool
///
/// The pool that derives from it says where slots lie and keeps their bits. Books:
///
///     set bits      == taken_ == slots in use + slots in cache_
///     bytes in use  == slots in use * slot_bytes + large_bytes_ + singles_.bytes()
///
/// A slot in cache_ holds the memory that it lies in. Where little is in use of much memory
/// (is_sparse() of the pool), the pool takes the room from cache_: each free is then a slow call
/// that clears its bit, so that with the last slot all memory goes back, without a further call.
///
/// A checked build and a memory checker want to see each call: then cache_ stays empty, and all
/// calls are slow. With ARENITE_PASSTHROUGH=1 there is nothing but singles_. Where slots that are
/// free hold objects (keep_contents()), neither is so but for the checks, and nothing is written
/// into a free slot.
///
/// Threads:   one at a time.
template <class Derived>
class slot_pool : public resource_base<Derived> {
public:
    using resource_base<Derived>::allocate;

    /// A slot. Throws out_of_memory.
    [[nodiscard]] ARENITE_INLINE void* allocate() {
        void* const p = try_allocate();
        if (p == nullptr) [[unlikely]]
            refuse(static_cast<const Derived&>(*this), slot_bytes(), slot_alignment_);
        return p;
    }

    /// A slot, or nullptr where all are in use and the upstream has no memory.
    [[nodiscard]] ARENITE_INLINE void* try_allocate() noexcept {
        [[maybe_unused]] const auto inside = threads_.enter(Derived::kind_name, this);
        void* p = cache_.take(slot_bytes());
        if (p == nullptr) [[unlikely]]
            p = allocate_slow();
        call_sites::allocated(p, slot_bytes());
        return p;
    }

    /// The name given in the options; empty if there is none.
    [[nodiscard]] std::string_view name() const noexcept {
        return name_ != nullptr ? std::string_view{name_} : std::string_view{};
    }

    /// Gives a slot back. Not nullptr.
    ARENITE_INLINE void deallocate(void* p) noexcept {
        [[maybe_unused]] const auto inside = threads_.enter(Derived::kind_name, this);
        call_sites::freed(p);
        if (!try_rejoin(p, slot_bytes()))
            deallocate_apart(p);
    }

    // The parts of these, for a wrapper between a pool and its user that knows slot_bytes() when it
    // is compiled.

    /// A slot that lies ready; nullptr where try_allocate() would have to look for one.
    [[nodiscard]] ARENITE_INLINE void* try_take_ready(std::size_t bytes) noexcept {
        return cache_.take(bytes);
    }

    /// A slot where try_take_ready() has none; nullptr where there is no memory.
    ARENITE_NOINLINE void* allocate_slow() noexcept;

    /// Gives a slot back if it lies beside those that were freed in a row just now. False, and
    /// nothing is done: it does not; a slot of another pool never does.
    [[nodiscard]] ARENITE_INLINE bool try_rejoin(void* p, std::size_t bytes) noexcept {
        return cache_.extend_run(p, bytes);
    }

    /// Gives a slot back that try_rejoin() was false for.
    ARENITE_INLINE void deallocate_apart(void* p) noexcept {
        if (!cache_.push(p)) [[unlikely]]
            deallocate_slow(static_cast<std::byte*>(p));
    }

    /// A slot where it is large and aligned enough; else see Limits.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (fits(bytes, alignment)) [[likely]]
            return try_allocate();
        void* const p = allocate_large(bytes, alignment);
        call_sites::allocated(p, bytes);
        return p;
    }

    /// Gives back what was allocated with this size and alignment. Not nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (fits(bytes, alignment)) [[likely]]
            return deallocate(p);
        call_sites::freed(p);
        deallocate_large(p, bytes);
    }

    /// O(1). live_allocations is exact; a hole is a slot.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Bytes of a slot as it is: rounded up to its alignment.
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return cache_.slot_bytes(); }

    /// Slots handed out. O(1).
    [[nodiscard]] std::size_t slots_in_use() const noexcept { return taken_ - cache_.count(); }

protected:
    /// No slot is longer, in bytes: the bytes of a word's 64 slots can be counted.
    static constexpr std::size_t largest_slot = std::size_t{1} << (sizeof(void*) == 8 ? 30 : 24);

    /// Where an address lies; see check_free().
    struct location {
        enum kind : unsigned char { foreign, large, bookkeeping, slot };
        kind what = foreign;
        const std::byte* begin = nullptr; ///< of the slot
        bool taken = false;               ///< its bit is set
    };

    explicit slot_pool(slot s) noexcept;
    ~slot_pool() override = default;

    /// True for a slot that there can be.
    [[nodiscard]] static bool is_possible(slot s) noexcept;
    [[nodiscard]] static std::size_t bytes_of(slot s) noexcept;

    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void note_high_water() const noexcept;

    /// Leaves nothing free that the bits do not show.
    void settle() noexcept;
    void clear_held_back() noexcept;

    /// From now on, before anything was allocated: slots are the pool's own, whatever the
    /// environment says, and where `contents` says so, what is free is as its user left it.
    void own_slots(bool contents) noexcept;

    /// Calls refuse; `why` ends the sentence. Does not return.
    ARENITE_COLD void refuse_free(const void* p, const char* why) const noexcept;

    /// Slots of one piece of memory: bits [0, count) are theirs, and what lies behind is `rest`.
    void list_slots(region_sink& sink, const slot_cache::snapshot& cached,
                    std::span<const std::byte> memory, const std::byte* slots,
                    const slot_layout& layout, const bits::word* words, std::size_t count,
                    region_state rest) const;
    void list_others(region_sink& sink) const;
    void report_leaks() noexcept;

    slot_cache cache_;
    std::size_t slot_alignment_;
    std::size_t taken_ = 0; ///< slots whose bits are set
    bool every_call_is_slow_;
    bool passes_through_;
    bool keeps_contents_ = false;
    mutable std::size_t high_water_ = 0; ///< bytes
    std::size_t large_bytes_ = 0;
    std::size_t large_count_ = 0;
    passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    const char* name_;          ///< for messages, or null
    ARENITE_NO_UNIQUE_ADDRESS one_thread threads_;

private:
    [[nodiscard]] Derived& self() noexcept { return static_cast<Derived&>(*this); }
    [[nodiscard]] const Derived& self() const noexcept {
        return static_cast<const Derived&>(*this);
    }

    [[nodiscard]] ARENITE_INLINE bool fits(std::size_t bytes,
                                           std::size_t alignment) const noexcept {
        return bytes <= slot_bytes() && alignment <= slot_alignment_ && is_alignment(alignment);
    }

    ARENITE_NOINLINE void deallocate_slow(std::byte* p) noexcept;
    ARENITE_COLD void* allocate_careful() noexcept;
    ARENITE_COLD void deallocate_careful(std::byte* p) noexcept;
    ARENITE_COLD void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_large(void* p, std::size_t bytes) noexcept;
    void check_free(const std::byte* p) const noexcept;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
