// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/offset/offset_source.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

namespace support {

/// A source of blocks that are names alone: counts, refuses when told to, and fails the test where
/// something comes back that is not out.
class block_source {
public:
    block_source() = default;
    block_source(const block_source&) = delete;
    block_source& operator=(const block_source&) = delete;
    ~block_source() { EXPECT_EQ(out_.size(), 0u) << "blocks never came back to their source"; }

    [[nodiscard]] arenite::offset_source source() noexcept {
        return {.get = [](std::uint64_t bytes, void* self) noexcept -> void* {
                    return static_cast<block_source*>(self)->get(bytes);
                },
                .give_back =
                    [](void* block, std::uint64_t bytes, void* self) noexcept {
                        static_cast<block_source*>(self)->give_back(block, bytes);
                    },
                .user = this};
    }

    /// From now on so many blocks are given, and then no more.
    void refuse_after(std::size_t count) noexcept { left_ = count; }
    /// Larger requests are refused.
    void refuse_above(std::uint64_t bytes) noexcept { most_bytes_ = bytes; }

    [[nodiscard]] std::uint64_t held() const noexcept { return held_; }
    [[nodiscard]] std::size_t count() const noexcept { return out_.size(); }
    [[nodiscard]] void* last() const noexcept { return last_; }
    [[nodiscard]] const std::map<void*, std::uint64_t>& out() const noexcept { return out_; }

private:
    void* get(std::uint64_t bytes) {
        if (left_ == 0 || bytes > most_bytes_)
            return nullptr;
        --left_;
        last_ = reinterpret_cast<void*>(++names_);
        out_.emplace(last_, bytes);
        held_ += bytes;
        return last_;
    }

    void give_back(void* block, std::uint64_t bytes) {
        const auto found = out_.find(block);
        if (found == out_.end() || found->second != bytes) {
            ADD_FAILURE() << "a block came back that is not out, or of another size";
            return;
        }
        held_ -= bytes;
        out_.erase(found);
    }

    std::map<void*, std::uint64_t> out_;
    std::uint64_t held_ = 0;
    std::uint64_t most_bytes_ = std::numeric_limits<std::uint64_t>::max();
    std::size_t left_ = std::numeric_limits<std::size_t>::max();
    std::uintptr_t names_ = 0;
    void* last_ = nullptr;
};

} // namespace support
