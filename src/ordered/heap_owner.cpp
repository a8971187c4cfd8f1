// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The messages of slab heaps about misuse. A message ends the call: contract_violation() may end
// the process, throw or jump away, so the callers have left the heap as if the call had not been
// made, and given up its gate (heap_gate::refuse).
#include <arenite/ordered/detail/heap_owner.hpp>

#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/core/contract.hpp>

#include <cstdio>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The subject of a message: "affinity nodes", or an ordered_heap.
struct heap_text {
    resource_text own;

    explicit heap_text(const heap_owner& owner) noexcept
        : own{{.kind = "ordered_heap", .resource = owner.heap, .name = owner.name}} {
        if (owner.affinity != nullptr)
            std::snprintf(own.text, sizeof own.text, "%s", owner.affinity);
    }
};

void heap_owner::refuse_free(const void* p, std::size_t bytes, const char* why) const noexcept {
    refuse_if_null(p);
    char size[40] = "";
    if (bytes != unknown_bytes)
        std::snprintf(size, sizeof size, ", %zu bytes,", bytes);
    call_sites::write_of_violation(p);
    // In an affinity a second free may be seen late, when the owner drains what others freed: the
    // message says first what may have happened.
    contract_violation_f(std::source_location::current(), "%p was freed%s into %s%s: %s", p, size,
                         heap_text{*this}.own.text, affinity != nullptr ? ", twice or wrongly" : "",
                         why);
}

void heap_owner::refuse_size(const void* p, std::size_t bytes, std::size_t room,
                             std::size_t asked) const noexcept {
    call_sites::write_of_violation(p);
    // Only checked builds know the size that was asked for; elsewhere `asked` is unknown_bytes and
    // the slot's own size is all there is to compare with.
    if (asked == bytes)
        contract_violation_f(std::source_location::current(),
                             "%p, %zu bytes, was freed into %s with another alignment than it was "
                             "allocated with",
                             p, bytes, heap_text{*this}.own.text);
    char rounded[80] = "";
    if (asked == unknown_bytes)
        std::snprintf(rounded, sizeof rounded, ", or as fewer that are rounded to it%s",
                      bytes <= room ? ", or with another alignment" : "");
    else if (asked != room)
        std::snprintf(rounded, sizeof rounded, ", rounded to %zu", room);
    // The usual cause where the size is that of a type; callers that give their own see it, too.
    contract_violation_f(
        std::source_location::current(),
        "%p was freed into %s as %zu bytes but allocated as %zu%s%s", p, heap_text{*this}.own.text,
        bytes, asked == unknown_bytes ? room : asked, rounded,
        affinity != nullptr ? " (perhaps deleted through a base class without a virtual destructor)"
                            : "");
}

void heap_owner::refuse_overrun(const void* p, std::size_t asked) const noexcept {
    call_sites::write_of_violation(p);
    contract_violation_f(std::source_location::current(),
                         "%p was freed into %s: somebody wrote behind its %zu bytes", p,
                         heap_text{*this}.own.text, asked);
}

void heap_owner::refuse_question(const void* p) const noexcept {
    contract_violation_f(std::source_location::current(),
                         "size_of(%p): no allocation of %s begins there, or it was freed", p,
                         heap_text{*this}.own.text);
}

/// Asked by size_of() on an ordered_heap: unlike a free, the question may concern memory that is
/// alive and well elsewhere.
void heap_owner::refuse_foreign_question(const void* p) const noexcept {
    contract_violation_f(std::source_location::current(),
                         "%p does not point into memory of ordered_heap %p", p, heap);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
