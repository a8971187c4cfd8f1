// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/resource.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// An allocation that was alive when its resource was destroyed.
struct leaked_object {
    const void* address;
    std::size_t bytes;         ///< as rounded by the resource
    std::size_t requested = 0; ///< as requested, if the resource knows; else 0
};

/// The former name of leaked_object, until 1.0.
using leak [[deprecated("it is called arenite::leaked_object now")]] = leaked_object;

/// Objects left alive in a resource: reported once, by its destructor, in checked builds and where
/// passthrough() is on. The memory is returned all the same: destroying a whole heap is legitimate,
/// so this is a report and not a contract violation. For an affinity it is reported at the end of
/// the process; objects that are destroyed even later are reported too.
struct leak_summary {
    const resource* source;
    std::size_t count;             ///< allocations alive
    std::size_t bytes;             ///< in all of them
    const leaked_object* examples; ///< the first of them, in address order
    std::size_t example_count;
    const char* name = nullptr; ///< of the affinity, or as given to the resource; may be null
    bool at_exit = false;       ///< an affinity, reported at the end of the process
};

/// Maximum number of examples in a summary.
inline constexpr std::size_t max_leak_examples = 16;

/// Called with each summary. The default writes it to the standard error, with what call_sites
/// knows of the examples.
using leak_handler = void (*)(const leak_summary&);

/// Replaces the handler and returns the previous one; nullptr restores the default. Safe from any
/// thread.
leak_handler set_leak_handler(leak_handler handler) noexcept;

/// Passes a summary to the handler.
ARENITE_COLD void report_leak(const leak_summary& summary);

/// Builds the summary of one resource: add() each live allocation, in address order, then report(),
/// which calls the handler unless there was none. Allocates nothing.
class leak_collector {
public:
    explicit leak_collector(const resource* source, const char* name = nullptr,
                            bool at_exit = false) noexcept
        : source_{source}, name_{name}, at_exit_{at_exit} {}

    void add(const void* address, std::size_t bytes, std::size_t requested = 0) noexcept {
        if (count_ < max_leak_examples)
            examples_[count_] = {address, bytes, requested};
        ++count_;
        bytes_ += bytes;
    }

    void report() const;

private:
    const resource* source_;
    const char* name_;
    bool at_exit_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    leaked_object examples_[max_leak_examples];
};

} // namespace ARENITE_ABI
} // namespace arenite
