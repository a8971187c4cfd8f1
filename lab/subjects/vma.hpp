// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace arenite::lab {

/// VulkanMemoryAllocator: its virtual block, and its defragmentation on a device that is made up.
/// Its header is long, so it is compiled once, behind these calls.
struct vma {
    /// A VmaVirtualBlock.
    class offsets {
    public:
        struct part {
            void* name;
            std::uint64_t offset, bytes;
        };

        offsets(std::uint64_t capacity, std::uint64_t granularity)
            : offsets{capacity, granularity, false} {}
        offsets(std::uint64_t capacity, std::uint64_t granularity, bool min_memory);
        ~offsets();
        offsets(const offsets&) = delete;
        offsets& operator=(const offsets&) = delete;

        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t owner);
        void deallocate(const part& p);
        [[nodiscard]] static std::uint64_t end(const part& p) { return p.offset + p.bytes; }

    private:
        void* block_ = nullptr;
        std::uint64_t granularity_;
        bool min_memory_;
    };

    /// A pool of blocks of one size, and one run of defragmentation over it.
    class block_heap {
    public:
        using part = void*;

        explicit block_heap(std::uint64_t block_bytes);
        ~block_heap();
        block_heap(const block_heap&) = delete;
        block_heap& operator=(const block_heap&) = delete;

        [[nodiscard]] part allocate(std::uint64_t bytes, std::uint64_t owner);
        void deallocate(part p);

        /// Plans so many moves at most; the bytes to copy.
        [[nodiscard]] std::uint64_t plan(std::size_t moves);
        /// Copies the planned moves. True: there is nothing more to gain.
        [[nodiscard]] bool settle();

        [[nodiscard]] std::size_t block_count() const;
        [[nodiscard]] std::uint64_t bytes_in_use() const;

        template <class F>
        void for_each(F f) const {
            for (const part p : parts_) {
                const place at = place_of(p);
                f(at.owner, at.block, at.offset, at.bytes);
            }
        }

    private:
        struct state;
        struct place {
            std::uint64_t owner;
            void* block;
            std::uint64_t offset, bytes;
        };
        [[nodiscard]] place place_of(part p) const;

        state* state_;
        std::unordered_set<part> parts_ = {};
    };

    static std::vector<subject_info> ways();
};

/// Its virtual block, each request with VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT.
struct vma_min_memory {
    class offsets : public vma::offsets {
    public:
        offsets(std::uint64_t capacity, std::uint64_t granularity)
            : vma::offsets{capacity, granularity, true} {}
    };

    static std::vector<subject_info> ways();
};

} // namespace arenite::lab
