// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Leaks: the report as text, the handler that may take its place, and the collector that hands its
// examples over. report() is called by destructors and at the end of the process, after main: so it
// is plain stdio, and the handler an atomic pointer that needs no initialisation.
#include <arenite/check/leak.hpp>

#include <arenite/check/call_sites.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

void write_leaks(const leak_summary& summary) {
    const char* const allocations = summary.count == 1 ? "allocation" : "allocations";
    // Affinities are never destroyed, so their message speaks of the process.
    if (summary.at_exit)
        std::fprintf(stderr,
                     "arenite: affinity %s has %zu %s of %zu bytes at the end of the process\n",
                     summary.name, summary.count, allocations, summary.bytes);
    else if (summary.name != nullptr)
        std::fprintf(stderr,
                     "arenite: resource %s (%p) was destroyed with %zu %s of %zu bytes alive\n",
                     summary.name, static_cast<const void*>(summary.source), summary.count,
                     allocations, summary.bytes);
    else
        std::fprintf(stderr, "arenite: resource %p was destroyed with %zu %s of %zu bytes alive\n",
                     static_cast<const void*>(summary.source), summary.count, allocations,
                     summary.bytes);
    for (std::size_t i = 0; i < summary.example_count; ++i) {
        const leaked_object& one = summary.examples[i];
        if (one.requested != 0 && one.requested != one.bytes)
            std::fprintf(stderr, "  %p: %zu bytes, rounded to %zu\n", one.address, one.requested,
                         one.bytes);
        else
            std::fprintf(stderr, "  %p: %zu bytes\n", one.address, one.bytes);
        call_sites::write(stderr, one.address);
    }
    if (summary.example_count < summary.count)
        std::fprintf(stderr, "  and %zu more\n", summary.count - summary.example_count);
    // The process may end by abort at once.
    std::fflush(stderr);
}

constinit std::atomic<leak_handler> current_leak_handler{nullptr};

} // namespace

leak_handler set_leak_handler(leak_handler handler) noexcept {
    leak_handler before = current_leak_handler.exchange(handler, std::memory_order_acq_rel);
    return before != nullptr ? before : &write_leaks;
}

void report_leak(const leak_summary& summary) {
    leak_handler handler = current_leak_handler.load(std::memory_order_acquire);
    (handler != nullptr ? handler : &write_leaks)(summary);
}

void leak_collector::report() const {
    if (count_ == 0)
        return;
    report_leak({.source = source_,
                 .count = count_,
                 .bytes = bytes_,
                 .examples = examples_,
                 .example_count = std::min(count_, max_leak_examples),
                 .name = name_,
                 .at_exit = at_exit_});
}

} // namespace ARENITE_ABI
} // namespace arenite
