// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace arenite::trace {

struct hash_of_frame {
    std::size_t operator()(const frame& f) const noexcept {
        return std::hash<std::uint64_t>{}(f.offset * 0x9E3779B97F4A7C15u ^ f.module);
    }
};

/// The things that the events of a trace refer to; they grow while it is read.
class tables {
public:
    /// Module 0 and stack 0 stand for what is not known.
    std::vector<module> modules{1};
    std::unordered_map<frame, name, hash_of_frame> names;
    std::map<std::string, std::string> about; ///< the program, its end, counts of the recorder

    void add_stack(std::span<const frame> frames) {
        frames_.insert(frames_.end(), frames.begin(), frames.end());
        ends_.push_back(frames_.size());
    }
    [[nodiscard]] std::size_t stacks() const noexcept { return ends_.size(); }
    /// Innermost first; empty where the number is not known.
    [[nodiscard]] std::span<const frame> stack(std::uint32_t number) const noexcept {
        if (number == 0 || number >= ends_.size())
            return {};
        return std::span{frames_}.subspan(ends_[number - 1], ends_[number] - ends_[number - 1]);
    }
    [[nodiscard]] std::string word(const std::string& key) const {
        const auto found = about.find(key);
        return found == about.end() ? std::string{} : found->second;
    }

private:
    std::vector<frame> frames_;
    std::vector<std::size_t> ends_{0};
};

} // namespace arenite::trace
