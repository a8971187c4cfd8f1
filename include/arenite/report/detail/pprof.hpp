// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A profile as `go tool pprof` and its relatives read it: profile.proto, not compressed.
///
/// Threads:   as any value.
/// Failure:   std::bad_alloc.
/// Source:    github.com/google/pprof, proto/profile.proto.
class pprof_profile {
public:
    struct value_type {
        std::string_view type; ///< "inuse_space"
        std::string_view unit; ///< "bytes"
    };

    /// Samples have a value of each type; the last one is shown first. One in `period` was taken.
    pprof_profile(std::span<const value_type> types, value_type period_type, std::uint64_t period);

    /// A number for a place in the code: the same one for the same place. `file` and `line` may be
    /// empty and 0.
    [[nodiscard]] std::uint64_t location(std::string_view function, std::string_view file = {},
                                         std::uint64_t line = 0);

    /// Locations innermost first; `tag`, where it is not empty, is a label of this name.
    void add(std::span<const std::uint64_t> locations, std::span<const std::int64_t> values,
             std::string_view tag);

    /// The whole file.
    [[nodiscard]] std::string encoded() const;

private:
    [[nodiscard]] std::uint64_t text(std::string_view s);

    std::string body_;
    std::string strings_; ///< encoded, in their order
    std::map<std::string, std::uint64_t, std::less<>> numbers_of_strings_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions_; ///< name, file
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> locations_; ///< and line
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
