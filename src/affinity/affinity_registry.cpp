// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_registry.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/thread_heaps.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/region.hpp>
#include <arenite/os/fork_lock.hpp>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constinit std::atomic<std::size_t> named{0};
alignas(affinity_heap) constinit std::byte places[most_affinities * sizeof(affinity_heap)] = {};

affinity_heap* first() noexcept { return reinterpret_cast<affinity_heap*>(places); }

/// Held while one is looked for and made.
fork_lock<std::mutex>& adding(void (*in_child)(void*) noexcept) noexcept {
    alignas(fork_lock<std::mutex>) static std::byte place[sizeof(fork_lock<std::mutex>)];
    static auto* const lock =
        ::new (static_cast<void*>(place)) fork_lock<std::mutex>{in_child, nullptr};
    return *lock;
}

} // namespace

std::span<affinity_heap> affinity_registry::all() noexcept {
    return {first(), named.load(std::memory_order_acquire)};
}

affinity_heap& affinity_registry::at(std::size_t index) noexcept { return first()[index]; }

affinity_heap& affinity_registry::get(const affinity_options& options) noexcept {
    std::unique_lock lock{adding([](void*) noexcept { after_fork_in_child(); })};
    for (affinity_heap& h : all()) {
        if (h.name() == options.name) {
            check_same(h, options);
            return h;
        }
    }
    const std::size_t known = named.load(std::memory_order_relaxed);
    check(options, known);
    auto* const h = ::new (static_cast<void*>(first() + known))
        affinity_heap{options, static_cast<unsigned>(known)};
    named.store(known + 1, std::memory_order_release);
    if (checks_enabled && known == 0)
        static_cast<void>(std::atexit([] { report_leaks(); }));
    lock.unlock();
    if (options.eager || options.prefault)
        h->make_first_block();
    return *h;
}

void affinity_registry::check_same(const affinity_heap& known,
                                   const affinity_options& options) noexcept {
    affinity_options same = options;
    same.name = known.options_.name;
    if (known.options_ != same)
        contract_violation_f(std::source_location::current(),
                             "two tags are named %s, and say different things of it (or a tag, "
                             "and who called affinity_heap::named)",
                             known.name_);
}

void affinity_registry::check(const affinity_options& options, std::size_t known) noexcept {
    const std::string_view name = options.name;
    if (name.empty() || name.size() > most_name_bytes)
        contract_violation("the name of an affinity must have 1 to 63 characters");
    if (!is_alignment(options.alignment))
        contract_violation_f(std::source_location::current(),
                             "the alignment %zu of affinity %.*s is no power of two",
                             options.alignment, static_cast<int>(name.size()), name.data());
    if (known == most_affinities)
        contract_violation_f(std::source_location::current(),
                             "there are %zu affinities already, and %.*s is one too many", known,
                             static_cast<int>(name.size()), name.data());
}

void affinity_registry::report_leaks() noexcept {
    struct objects final : region_sink {
        explicit objects(const affinity_heap& h) noexcept : leaks{&h, h.name().data()} {}
        void add(const region& r) override {
            if (r.state == region_state::used)
                leaks.add(r.address, r.bytes);
        }
        leak_collector leaks;
    };
    for (const affinity_heap& h : all()) {
        objects alive{h};
        h.list_regions(alive);
        alive.leaks.report();
    }
}

/// The other threads are not in the child: their shares are nobody's.
void affinity_registry::after_fork_in_child() noexcept {
    for (affinity_heap& h : all())
        h.shares_.after_fork_in_child(thread_heaps::thread());
    thread_heaps::after_fork_in_child();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
