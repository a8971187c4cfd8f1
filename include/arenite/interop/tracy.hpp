// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Include <tracy/Tracy.hpp> before: without it there is nothing here.
#if defined(TracyAllocN)

#include <arenite/compose/observed_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/report/usage_node.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The name at a permanent address, as Tracy requires. Each name is stored once, and never freed.
[[nodiscard]] inline const char* tracy_name(std::string name) {
    static std::mutex mutex;
    static std::set<std::string>& names = *new std::set<std::string>;
    const std::lock_guard lock{mutex};
    return names.insert(std::move(name)).first->c_str();
}

} // namespace detail

/// An Observer that shows memory as a named pool in the Tracy profiler.
///
///     #include <tracy/Tracy.hpp>
///     #include <arenite/interop/tracy.hpp>
///
///     tracy_resource<ordered_heap> scene{tracy_pool{"scene"}};        // and arguments of R
///     tracy_resource<ordered_heap&> sounds{tracy_pool{"sounds"}, heap};
///     ...
///     tracy_plot(all);                                    // a usage_node, once a frame
///
/// Use when:  Tracy should list the objects of a heap with their times, and show a map of their
///            memory.
/// Cost:      two Tracy events per pair; with TRACY_CALLSTACK also two call stacks. Without
///            TRACY_ENABLE no instruction (see observed_resource).
/// Overhead:  one pointer per resource, and its name for as long as the program runs.
/// Limits:    Tracy 0.7.6 or newer, for pools with names. No reset(): Tracy must see each free.
/// Misuse:    Tracy ends its session when memory is freed in a pool that did not allocate it: give
///            each resource its own name. Define TRACY_ENABLE in all files, or in none.
/// Threads:   as the resource; Tracy accepts events from any thread.
class tracy_pool {
public:
#if defined(TRACY_ENABLE)
    explicit tracy_pool(std::string_view name) : name_{detail::tracy_name(std::string{name})} {}

    void on_allocate(const void* p, std::size_t bytes) const noexcept {
        TracyAllocN(p, bytes, name_);
    }
    void on_free(const void* p, std::size_t) const noexcept { TracyFreeN(p, name_); }

private:
    const char* name_;
#else
    static constexpr bool is_off = true;

    explicit tracy_pool(std::string_view) noexcept {}

    void on_allocate(const void*, std::size_t) const noexcept {}
    void on_free(const void*, std::size_t) const noexcept {}
#endif
};

/// An R, or R&, that is a named pool in Tracy.
template <class R>
using tracy_resource = observed_resource<R, tracy_pool>;

/// Plots the bytes in use of a node, and of all below it, under its path ("game/scene"): call it
/// once a frame. O(nodes); without TRACY_ENABLE nothing.
inline void tracy_plot([[maybe_unused]] const usage_node& node,
                       [[maybe_unused]] const std::string& above = {}) {
#if defined(TRACY_ENABLE)
    const std::string path = above + node.name();
    TracyPlot(detail::tracy_name(path), static_cast<std::int64_t>(node.usage().bytes_in_use));
    for (const usage_node* n = node.first_child(); n != nullptr; n = n->next_sibling())
        tracy_plot(*n, path + "/");
#endif
}

} // namespace ARENITE_ABI
} // namespace arenite

#endif
