// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/budget_group.hpp>
#include <arenite/core/config.hpp>
#include <arenite/offset/offset_source.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// The blocks of an offset_heap, counted in a budget_group: device memory beside that of the CPU.
///
///     budget_group textures{{.name = "textures", .budget_bytes = 512_MiB}, &all};
///     budgeted_blocks counted{textures, blocks.source()};     // such as of a vulkan_blocks
///     offset_heap heap{counted.source(), blocks.parts(limits)};
///
/// Use when:  device memory, or a file, shares a budget with other resources.
/// Cost:      that of the source, and of the group, for each block.
/// Overhead:  40 bytes.
/// Limits:    those of the source.
/// Threads:   one at a time, as the heap that it serves, which it must outlive; the group any.
/// Failure:   no block if the group or the source refuses; the heap then tries smaller ones.
class budgeted_blocks {
public:
    /// Both must outlive it.
    budgeted_blocks(budget_group& group, const offset_source& inner) noexcept
        : group_{group}, inner_{inner} {}
    budgeted_blocks(const budgeted_blocks&) = delete;
    budgeted_blocks& operator=(const budgeted_blocks&) = delete;
    /// For the group, blocks that the source still has out end here.
    ~budgeted_blocks() { group_.give(used_); }

    /// For an offset_heap.
    [[nodiscard]] offset_source source() noexcept {
        return {.get = &get, .give_back = &give_back, .user = this};
    }

    /// Bytes of the blocks that the heap has.
    [[nodiscard]] std::uint64_t in_use() const noexcept { return used_; }

private:
    static void* get(std::uint64_t bytes, void* user) noexcept {
        auto& self = *static_cast<budgeted_blocks*>(user);
        if (!self.group_.hold(bytes))
            return nullptr;
        void* const block = self.inner_.get(bytes, self.inner_.user);
        if (block == nullptr) {
            self.group_.give(bytes);
            return nullptr;
        }
        self.used_ += bytes;
        self.group_.note_held();
        return block;
    }
    static void give_back(void* block, std::uint64_t bytes, void* user) noexcept {
        auto& self = *static_cast<budgeted_blocks*>(user);
        self.inner_.give_back(block, bytes, self.inner_.user);
        self.used_ -= bytes;
        self.group_.give(bytes);
    }

    budget_group& group_;
    offset_source inner_;
    std::uint64_t used_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite
