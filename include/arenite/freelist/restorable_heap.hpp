// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/one_thread.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/freelist/detail/page_copies.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/os/detail/written_pages.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a restorable_heap behaves.
struct restorable_options {
    /// The program's number for the layout of what it keeps in the heap: raise it whenever a type
    /// changes, and snapshots from before are refused.
    std::uint64_t layout = 0;

    /// For messages; the text must outlive the heap.
    const char* name = nullptr;
};

/// A heap at an address of your choice, all of which can be saved and restored: bookkeeping,
/// objects, and the pointers between them.
///
///     restorable_heap game{restorable_heap::usual_address, 256_MiB};
///     game.set_root(create<world>(game));
///     heap_snapshot before = game.take();
///     game.root<world>()->step();
///     if (!game.restore(before))                         // nothing has happened, or:
///         std::puts(game.why_refused());
///
///     address  | what it knows of itself, root | lists | bits | objects and holes ..... |
///     snapshot | a copy of each page that is in use, shared with the snapshots before it |
///
/// A snapshot written to a file can be restored in another process, at the same address. Objects
/// are served as by a tlsf_resource, in bounded time.
///
/// Use when:  undo, rollback of a network game, hot reload that keeps the state, a bug to be
///            replayed from the moment before. For one stack of temporaries: mark and rewind of
///            linear/linear_resource.hpp.
/// Cost:      allocate and deallocate O(1), as tlsf_resource. take and restore O(pages that were
///            written to since the last of them, and pages / 64), on Linux from 6.7 on, where the
///            kernel keeps the record: 0.3 ms for 75 MB of which nothing changed. Elsewhere all
///            pages in use are compared, 20 ms. The first write to a page after a snapshot is a
///            short fault there.
/// Overhead:  as of tlsf_resource: sizes round up to 16 bytes, 1.6 % for bits, which are compared
///            whole. A snapshot has 4112 bytes for each page that changed since the one before.
/// Limits:    at most 64 GiB; the region does not grow. Everything that is to be restored lies in
///            it: a heap inside it must be a linear_resource, a pool or a container that gets all
///            of its memory from this; an ordered_heap keeps a table elsewhere. Between processes,
///            objects must have no pointers to functions, virtual functions or anything outside; so
///            no resources. Not where the system cannot reserve addresses (Windows).
/// Misuse:    as in tlsf_resource, at the call: double frees, foreign pointers, wrong sizes.
/// Threads:   one at a time.
/// Failure:   out_of_memory / nullptr; take: an empty snapshot; restore: false; nothing changes,
///            and why_refused() says why. A heap whose addresses are taken refuses every request.
/// Source:    Masmano, TLSF (2004).  (doc/sources.md)
class restorable_heap final : public resource_base<restorable_heap> {
public:
    /// An address where nothing lies in 64-bit programs as a rule; nullptr with 32 bits.
    static inline void* const usual_address =
        sizeof(void*) == 8
            ? reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::uint64_t{0x2000'0000'0000}))
            : nullptr;

    /// `bytes` at `address`, which is that of a page, else the heap has no memory; rounded up to
    /// whole pages of the system, four at least. Nothing may lie there. Memory is touched as it is
    /// used. nullptr: wherever there is room, for snapshots of this process.
    explicit restorable_heap(void* address, std::size_t bytes,
                             const restorable_options& options = {}) noexcept;
    ~restorable_heap() override;

    /// Why the heap has no memory, or the last snapshot was refused; "" if nothing was.
    [[nodiscard]] const char* why_refused() const noexcept { return why_; }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;

    /// Frees an allocation of this size. Not nullptr.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// All of it, as it is now. An empty snapshot: there was no memory for it.
    [[nodiscard]] heap_snapshot take() noexcept;

    /// Makes everything as it was when the snapshot was taken: of this heap, or of one at the same
    /// address with the same size and layout, in whatever process. What was allocated since is
    /// gone; what was freed is there.
    [[nodiscard]] bool restore(const heap_snapshot& s) noexcept;

    /// A pointer that is kept with the heap: where the program finds its objects again.
    void set_root(void* p) noexcept;
    template <class T>
    [[nodiscard]] T* root() const noexcept {
        return static_cast<T*>(root_pointer());
    }

    /// The name given in the options; empty if there is none.
    [[nodiscard]] std::string_view name() const noexcept {
        return options_.name != nullptr ? std::string_view{options_.name} : std::string_view{};
    }

    [[nodiscard]] bool owns(const void* p) const noexcept {
        return address_of(p) - address_of(base_) < bytes_;
    }
    [[nodiscard]] arenite::usage usage() const noexcept;
    void list_regions(region_sink& sink) const;
    [[nodiscard]] std::size_t capacity() const noexcept { return bytes_; }
    [[nodiscard]] void* address() const noexcept { return base_; }

private:
    struct image; ///< at its address: what it knows of itself

    [[nodiscard]] image& self() const noexcept;
    [[nodiscard]] void* root_pointer() const noexcept;
    [[nodiscard]] std::size_t pages_in_use() const noexcept;
    [[nodiscard]] std::byte* page(std::size_t i) const noexcept;
    [[nodiscard]] bool copy_page(detail::page_copies& table, std::size_t i, bool knows) noexcept;
    [[nodiscard]] bool collect_written() noexcept;
    [[nodiscard]] bool is_as_in_latest(std::size_t i) const noexcept;
    void reveal() const noexcept;
    void conceal() const noexcept;
    void name_it() const noexcept;

    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0; ///< 0: there is no memory
    const char* why_ = "";
    restorable_options options_;
    detail::page_copies latest_;        ///< of the snapshot that was taken or restored last
    detail::os::written_pages written_; ///< since then; from the first snapshot on
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
