// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The calls of an ordered_heap that are not inlined: each checks what the heap promises, and leaves
// the work to slab_heap. Leaks are reported at the end. Where the library passes all through to
// malloc (arenite::passthrough), objects are single allocations in singles_, and the slab heap
// stays empty; that is settled when the heap is made, since an object must be freed on the way that
// it came.
#include <arenite/ordered/ordered_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/ordered/detail/slot_notes.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

ordered_heap::ordered_heap(const ordered_options& options)
    : ordered_heap{options, upstream{&page_source()}} {}

ordered_heap::ordered_heap(const ordered_options& options, upstream up)
    : core_{detail::block_options{.block_bytes = options.block_bytes,
                                  .policy = options.policy,
                                  .prefault = options.prefault},
            up,
            detail::heap_owner{.heap = this,
                               .name = options.name,
                               .on_foreign_free =
                                   passthrough() ? &deallocate_passed_through : nullptr,
                               .on_many_frees =
                                   [](detail::slab_heap& core, std::uint64_t now_ms) noexcept {
                                       auto& own = *static_cast<ordered_heap*>(core.owner().heap);
                                       own.idle_.look(core, now_ms, detail::who_asks::heap);
                                   }}},
      kept_{options.sizes == sizes::kept}, passes_through_{passthrough()} {
    if (passes_through_ || (!options.eager && !options.prefault))
        return;
    // Eager heaps promise that the first request needs no system call, so a refusal is reported
    // here.
    if (!core_.heap().make_first_slab())
        detail::refuse(*this, options.block_bytes != 0 ? options.block_bytes : 64_KiB,
                       default_alignment);
}

ordered_heap::~ordered_heap() {
    if (checks_enabled || passes_through_) [[unlikely]]
        report_leaks();
}

void* ordered_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    if (!passes_through_) [[likely]]
        return core_.heap().allocate_slow(bytes, alignment);
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes)
        return nullptr;
    // Objects of no bytes have addresses of their own here, too.
    return singles_.try_allocate(bytes + (bytes == 0), alignment);
}

bool ordered_heap::deallocate_passed_through(detail::slab_heap& core, void* p, std::size_t,
                                             std::size_t) noexcept {
    static_cast<ordered_heap*>(core.owner().heap)->singles_.deallocate(p);
    return true;
}

void ordered_heap::deallocate_unsized(void* p) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    if (!kept_) [[unlikely]]
        contract_violation("deallocate(p) needs the size on a heap of sizes::given; without it: a "
                           "heap of ordered_options{.sizes = sizes::kept}");
    core_.heap().deallocate(p);
}

bool ordered_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                              std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    return !passes_through_ && core_.heap().try_resize(p, old_bytes, new_bytes, alignment);
}

std::size_t ordered_heap::good_bytes(std::size_t bytes, std::size_t alignment) noexcept {
    const unsigned number = is_alignment(alignment) ? detail::size_class::of(bytes, alignment)
                                                    : detail::size_class::none;
    if (number < detail::size_class::count)
        return detail::size_class::slot_bytes(number);
    // Checked builds keep a note behind each object, which takes part in the rounding to units.
    constexpr std::size_t note = detail::slab::note_bytes; // in whole units with the object
    constexpr std::size_t most = 63_KiB - note;            // above, it has memory of its own
    return number == detail::size_class::single && bytes <= most
               ? align_up(bytes + note, detail::unit_bytes) - note
               : bytes;
}

std::size_t ordered_heap::size_of(const void* p) const noexcept {
    if (!kept_)
        contract_violation("size_of(p) needs a heap of sizes::kept");
    const std::size_t bytes = passes_through_ ? singles_.size_of(p) : core_.heap().size_of(p);
    // A caller who asks for the size means to use all of it.
    detail::poison::defined(p, bytes);
    return bytes;
}

std::string_view ordered_heap::name() const noexcept {
    const char* const given = core_.heap().owner().name;
    return given != nullptr ? std::string_view{given} : std::string_view{};
}

bool ordered_heap::owns(const void* p) const noexcept {
    // By block, so that free memory of the heap is owned, too.
    return passes_through_ ? singles_.owns(p) : core_.heap().slabs().blocks().find(p) != nullptr;
}

void ordered_heap::deallocate_waiting(void* const* objects, std::size_t count) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    core_.heap().deallocate_all(objects, count);
}

/// Both kinds of objects: whichever the heap does not have takes no time.
void ordered_heap::reset() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    singles_.rewind(0);
    core_.heap().reset();
}

void ordered_heap::set_block_bytes(std::size_t bytes) noexcept {
    core_.heap().slabs().blocks().set_block_bytes(bytes);
}

void ordered_heap::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    core_.heap().trim();
}

bool ordered_heap::give_back_due() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
    detail::slab_heap& heap = core_.heap();
    return heap.slabs().blocks().give_back_due() ||
           idle_.look(heap, detail::os::platform::now_ms());
}

arenite::usage ordered_heap::usage() const noexcept {
    arenite::usage now = core_.heap().usage();
    now.bytes_in_use += singles_.bytes();
    now.bytes_reserved += singles_.bytes();
    now.high_water_bytes += singles_.bytes();
    now.live_allocations += singles_.count();
    return now;
}

void ordered_heap::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    detail::slab_survey::list_regions(core_.heap().slabs(), sink, kept_ || detail::slow_only);
}

void ordered_heap::report_leaks() const noexcept {
    leak_collector leaks{this, core_.heap().owner().name};
    singles_.add_to(leaks);
    detail::slab_survey::for_each_object(core_.heap().slabs(), [&](const void* p,
                                                                   std::size_t bytes) {
        leaks.add(p, bytes, detail::slot_notes::requested_bytes(core_.heap().slabs(), p, bytes));
    });
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
