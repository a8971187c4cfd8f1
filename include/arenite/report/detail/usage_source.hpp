// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>

#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A source that is in no usage tree, and in every usage_snapshot all the same: the affinities, the
/// shared heaps. One object for each kind, which lasts as long as the process.
///
/// Threads:   any.
class usage_source {
public:
    /// Takes a line each; may allocate, from the resources that are listed too.
    class sink {
    public:
        virtual void add(std::string_view name, const usage& figures) = 0;

    protected:
        ~sink() = default;
    };

    constexpr usage_source(const char* name, void (*lister)(sink& to)) noexcept
        : name_{name}, list_{lister} {}
    usage_source(const usage_source&) = delete;
    usage_source& operator=(const usage_source&) = delete;

    /// It is in all snapshots from now on; further calls do nothing.
    void begin() noexcept;

    [[nodiscard]] const char* name() const noexcept { return name_; }
    void list(sink& to) const { list_(to); }

    /// All that have begun, the first one first.
    [[nodiscard]] static const usage_source* first() noexcept;
    [[nodiscard]] const usage_source* next() const noexcept;

private:
    const char* name_;
    void (*list_)(sink& to);
    usage_source* next_ = nullptr;
    bool has_begun_ = false;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
