// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The list of usage sources, in the order in which they began. Sources join and never leave, so a
// reader takes the lock for each step alone: between two steps it may allocate.
#include <arenite/report/detail/usage_source.hpp>

#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

struct of_usage_sources;
fork_lock<std::mutex>& sources_lock() noexcept {
    return process_lock<std::mutex, of_usage_sources>();
}
constinit usage_source* first_source = nullptr;
constinit usage_source** end_of_sources = &first_source;

} // namespace

void usage_source::begin() noexcept {
    const std::lock_guard lock{sources_lock()};
    if (has_begun_)
        return;
    has_begun_ = true;
    // The link is written last; a reader that is between two steps finds it at the next one.
    *end_of_sources = this;
    end_of_sources = &next_;
}

const usage_source* usage_source::first() noexcept {
    const std::lock_guard lock{sources_lock()};
    return first_source;
}

const usage_source* usage_source::next() const noexcept {
    const std::lock_guard lock{sources_lock()};
    return next_;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
