// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A heap at a fixed address that keeps all it knows in its own memory. In this order: making and
// naming it, allocate and deallocate, taking and restoring a snapshot page by page, the reports.
// All of its state that a snapshot must bring back is in `image`, at the start of the region: the
// object itself only knows where the region is, which pages were written, and what the latest
// snapshot had. Read take() and restore() with copy_page().
#include <arenite/freelist/restorable_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/freelist/detail/tlsf_region.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::page_copies;
using detail::tlsf_region;
using detail::unit_map;

/// The label is a process's own, and written anew in each; all else is part of snapshots.
struct restorable_heap::image {
    detail::resource_label label;
    void* root;
    std::size_t in_use;
    std::size_t most;
    std::size_t live;
    const std::byte* top; ///< above it nothing was ever allocated
    tlsf_region* region;
};

namespace {

constexpr std::size_t image_page = page_copies::page_bytes;
constexpr std::size_t no_page = ~std::size_t{0};

} // namespace

restorable_heap::image& restorable_heap::self() const noexcept {
    return *std::launder(reinterpret_cast<image*>(base_));
}

restorable_heap::restorable_heap(void* address, std::size_t bytes,
                                 const restorable_options& options) noexcept
    : options_{options} {
    using detail::os::platform;
    const std::size_t unit = std::max(platform::page_bytes(), image_page);
    if (bytes > detail::max_object_bytes - unit || address_of(address) % unit != 0) {
        why_ = "the address is to be one of a page, and the size one that an object can have";
        return;
    }
    if (std::uint64_t{bytes} > std::uint64_t{64} << 30) { // before its addresses are taken
        why_ = "it is larger than 64 GiB";
        return;
    }
    const std::size_t whole = align_up(std::max(bytes, 4 * unit), unit);
    void* got = address;
    if (address == nullptr) {
        got = platform::reserve(whole, unit);
        why_ = "the system has no addresses for it";
    } else if (!platform::reservations_grow) {
        got = nullptr;
        why_ = "this system gives no addresses that a program chooses";
    } else if (!platform::extend(address, whole)) {
        got = nullptr;
        why_ = "something lies at these addresses already";
    }
    if (got == nullptr)
        return;
    if (!platform::commit(got, whole)) {
        platform::release(got, whole);
        why_ = "the system has no memory for it";
        return;
    }
    base_ = static_cast<std::byte*>(got);
    image* const made = ::new (got) image{};
    name_it();
    constexpr std::size_t before = align_up(sizeof(image), std::size_t{64});
    made->region = tlsf_region::make(
        std::span<std::byte>{base_ + before, whole - before},
        {.keeps_sizes = false, .from_upstream = false, .prefault = false}, made->label);
    if (made->region == nullptr) {
        platform::release(base_, whole);
        base_ = nullptr;
        why_ = "it has no room for its bookkeeping";
        return;
    }
    made->top = made->region->map().address(0);
    bytes_ = whole;
    why_ = "";
}

restorable_heap::~restorable_heap() {
    if (bytes_ == 0)
        return;
    detail::poison::undefined(base_, bytes_);
    written_.end();
    detail::os::platform::release(base_, bytes_);
}

void restorable_heap::name_it() const noexcept {
    self().label = {"restorable_heap", this, options_.name};
}

// ---- allocate, deallocate -----------------------------------------------------------------------

void* restorable_heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("restorable_heap", this);
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    if (bytes_ == 0 || !is_alignment(alignment) || bytes > detail::max_object_bytes) [[unlikely]]
        return nullptr;
    image& me = self();
    tlsf_region& r = *me.region;
    const std::size_t n = r.map().units_for(bytes);
    const tlsf_region::index i = r.claim(n, alignment);
    if (i == tlsf_region::none) [[unlikely]]
        return nullptr;
    std::byte* const p = r.map().address(i);
    me.in_use += n * unit_map::unit_bytes;
    me.most = std::max(me.most, me.in_use);
    ++me.live;
    // It never sinks: pages below it may hold remains of freed objects, and a snapshot has to have
    // them or zeros in their place.
    me.top = std::max<const std::byte*>(me.top, p + n * unit_map::unit_bytes);
    unit_map::begin_life(p, bytes);
    return p;
}

void restorable_heap::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("restorable_heap", this);
    if (bytes_ == 0) [[unlikely]]
        unit_map::refuse_foreign({"restorable_heap", this, options_.name}, p, bytes);
    image& me = self();
    tlsf_region& r = *me.region;
    const std::size_t n = r.map().units_for(bytes);
    if (!r.map().is_allocation(p, n, r.map().count())) [[unlikely]]
        r.map().refuse(p, bytes, r.map().count());
    me.in_use -= n * unit_map::unit_bytes;
    --me.live;
    r.release(r.map().index_of(p), static_cast<tlsf_region::index>(n));
}

// ---- snapshots ----------------------------------------------------------------------------------

/// Pages from the begin on that a snapshot has, beside the last one: up to the begin of the hole
/// above all objects. Nothing is ever written between there and that hole's last unit.
std::size_t restorable_heap::pages_in_use() const noexcept {
    const auto bytes = static_cast<std::size_t>(self().top - base_) + unit_map::unit_bytes;
    return std::min((bytes + image_page - 1) / image_page, bytes_ / image_page - 1);
}

/// Page i of a snapshot's table: the last one comes first.
std::byte* restorable_heap::page(std::size_t i) const noexcept {
    return i == 0 ? base_ + bytes_ - image_page : base_ + (i - 1) * image_page;
}

/// Asks which pages were written to since the latest snapshot; from the first one on that is kept.
bool restorable_heap::collect_written() noexcept {
    // Before the first snapshot nothing is watched: a program that takes none pays for no faults.
    if (latest_.count() == 0 && !written_.watches() && !written_.watch(base_, bytes_))
        return false;
    return written_.collect() && latest_.count() != 0;
}

/// After collect_written() was true: true if page i is still what the latest snapshot has of it.
bool restorable_heap::is_as_in_latest(std::size_t i) const noexcept {
    const std::size_t page = i == 0 ? bytes_ / image_page - 1 : i - 1;
    return i < latest_.count() && !written_.written(page);
}

/// For memory checkers: holes are read and written, too.
void restorable_heap::reveal() const noexcept {
    if constexpr (detail::poison::active) {
        const std::size_t bytes = pages_in_use() * image_page;
        detail::poison::defined(base_, bytes);
        detail::poison::defined(page(0), image_page);
    }
}

/// Afterwards an access to a hole is an error again.
void restorable_heap::conceal() const noexcept {
    if constexpr (detail::poison::active) {
        struct holes final : region_sink {
            void add(const region& r) override {
                if (r.state == region_state::free)
                    detail::poison::no_access(r.address, r.bytes);
            }
        } sink;
        list_regions(sink);
    }
}

/// Page i as it is now, for a snapshot: the copy of the latest one, if it is the same.
bool restorable_heap::copy_page(page_copies& table, std::size_t i, bool knows) noexcept {
    const std::byte* const now = page(i);
    page_copies::copy* const before = latest_.at(i);
    if ((knows && is_as_in_latest(i)) ||
        (before != nullptr && std::memcmp(before->bytes, now, image_page) == 0))
        return table.keep(i, before);
    if (page_copies::is_zero(now))
        return true;
    std::byte* const to = table.add(i);
    if (to != nullptr)
        std::memcpy(to, now, image_page);
    return to != nullptr;
}

/// Two tables of the same pages: one for the caller, one kept as the latest, against which the next
/// take compares.
heap_snapshot restorable_heap::take() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("restorable_heap", this);
    if (bytes_ == 0)
        return heap_snapshot{"the heap has no memory"};
    reveal();
    heap_snapshot made{"there is no memory for the snapshot"};
    page_copies table;
    const std::size_t count = pages_in_use() + 1;
    bool whole = table.make(count);
    const bool knows = collect_written();
    for (std::size_t g = 0; whole && g < table.group_count(); ++g) {
        const std::size_t first = g * page_copies::group_pages;
        const std::size_t end = std::min(first + page_copies::group_pages, count);
        // A group is shared as a whole only if it has as many pages in both tables, and none of
        // them was written to.
        std::size_t changed =
            knows && end == std::min(first + page_copies::group_pages, latest_.count()) ? first
                                                                                        : no_page;
        while (changed < end && is_as_in_latest(changed))
            ++changed;
        if (changed == end) {
            table.keep_group(g, latest_);
            continue;
        }
        for (std::size_t i = first; whole && i < end; ++i)
            whole = copy_page(table, i, knows);
    }
    conceal();
    page_copies shared;
    if (!whole || !shared.share(table)) {
        latest_ = page_copies{}; // which pages were written is forgotten: compare them all
        return made;
    }
    latest_ = std::move(shared);
    made.pages_ = std::move(table);
    made.address_ = address_of(base_);
    made.bytes_ = bytes_;
    made.layout_ = options_.layout;
    made.why_ = "";
    return made;
}

bool restorable_heap::restore(const heap_snapshot& s) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("restorable_heap", this);
    const auto refuse = [this](const char* why) {
        why_ = why;
        return false;
    };
    if (bytes_ == 0)
        return false; // why_ is there
    if (!s)
        return refuse("the snapshot is empty");
    if (s.address() != address_of(base_) || s.bytes() != bytes_)
        return refuse("the snapshot is of a heap at another address, or of another size");
    if (s.layout() != options_.layout)
        return refuse("the snapshot is of another layout of the program's objects");
    // Its first page says how it goes on; a file may say anything.
    const page_copies::copy* const first = s.pages_.at(1);
    image told;
    if (first == nullptr)
        return refuse("the snapshot is damaged: it has no first page");
    std::memcpy(static_cast<void*>(&told), first->bytes, sizeof told);
    const image& me = self();
    const std::size_t top = address_of(told.top) - address_of(base_);
    // Pointers of the image are compared, not followed: they are the file's.
    if (told.region != me.region || top > bytes_ ||
        std::min((top + unit_map::unit_bytes + image_page - 1) / image_page,
                 bytes_ / image_page - 1) +
                1 !=
            s.pages_.count())
        return refuse("the snapshot is damaged: its first page contradicts its size");
    page_copies shared;
    if (!shared.share(s.pages_))
        return refuse("there is no memory for the list of its pages");
    reveal();
    const bool knows = collect_written();
    const auto differs = [&](std::size_t i) {
        return !knows || !is_as_in_latest(i) || latest_.at(i) != s.pages_.at(i);
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < s.pages_.count(); ++i)
        count += differs(i);
    const bool most = !knows || count > s.pages_.count() / 2;
    if (most)
        written_.end(); // each first write to a page would be a fault: the record begins anew
    for (std::size_t i = 0; i < s.pages_.count(); ++i) {
        if (!most && !differs(i))
            continue;
        std::byte* const now = page(i);
        if constexpr (detail::poison::active)
            detail::poison::defined(now, image_page);
        const page_copies::copy* const then = s.pages_.at(i);
        // Pages are read before they are written: one that is as it was stays clean, and shared
        // with a forked process.
        if (then == nullptr) {
            if (!page_copies::is_zero(now))
                std::memset(now, 0, image_page);
        } else if (std::memcmp(now, then->bytes, image_page) != 0) {
            std::memcpy(now, then->bytes, image_page);
        }
    }
    // Its label came with the pages, perhaps from another process, where names lay elsewhere.
    name_it();
    latest_ = std::move(shared);
    if (!written_.watches())
        static_cast<void>(written_.watch(base_, bytes_));
    static_cast<void>(written_.collect()); // pages written here are as in the latest
    conceal();
    why_ = "";
    return true;
}

// ---- what is there ------------------------------------------------------------------------------

// The root is in the image, so restore() brings back the one of the snapshot.
void restorable_heap::set_root(void* p) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("restorable_heap", this);
    if (bytes_ != 0)
        self().root = p;
}

void* restorable_heap::root_pointer() const noexcept { return bytes_ == 0 ? nullptr : self().root; }

// The counts are in the image, too: after restore() they are those of the snapshot, peak included.
arenite::usage restorable_heap::usage() const noexcept {
    if (bytes_ == 0)
        return {};
    const image& me = self();
    return {.bytes_in_use = me.in_use,
            .bytes_reserved = bytes_,
            .high_water_bytes = me.most,
            .live_allocations = me.live,
            .largest_hole_bytes = me.region->long_hole() * unit_map::unit_bytes};
}

void restorable_heap::list_regions(region_sink& sink) const {
    if (bytes_ != 0)
        self().region->map().list_regions(sink, base_, bytes_, self().region->map().count());
}

} // namespace ARENITE_ABI
} // namespace arenite
