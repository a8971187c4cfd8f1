// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/core/literals.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

// Heaps all of which can be saved and restored.

namespace arenite::lab {

/// restorable_heap; the snapshot that was taken last.
class restorable {
public:
    static constexpr bool takes_snapshots = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    void take() {
        before_ = std::move(latest_);
        latest_ = heap_.take();
    }
    void restore() { static_cast<void>(heap_.restore(latest_)); }
    [[nodiscard]] std::size_t copied_bytes() const {
        std::size_t pages = before_.own_page_count(); // as much as was replaced
        return pages * 4096;
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.restorable",
                 .summary = "restorable_heap, snapshots of pages that changed",
                 .pages = "4k",
                 .on_request = true}};
    }

private:
    restorable_heap heap_{nullptr, 640_MiB};
    heap_snapshot before_, latest_;
};

/// All of the memory copied, there and back.
class copied_whole {
public:
    static constexpr bool takes_snapshots = true;

    [[nodiscard]] void* allocate(std::size_t n, std::size_t alignment) {
        void* const p = heap_.allocate(n, alignment);
        const std::size_t end = static_cast<std::size_t>(static_cast<std::byte*>(p) - region_) + n;
        used_ = end > used_ ? end : used_;
        return p;
    }
    void deallocate(void* p, std::size_t n, std::size_t alignment) noexcept {
        heap_.deallocate(p, n, alignment);
    }

    void take() {
        copy_.resize(used_);
        std::memcpy(copy_.data(), region_, used_);
    }
    void restore() { std::memcpy(region_, copy_.data(), copy_.size()); }
    [[nodiscard]] std::size_t copied_bytes() const { return used_; }

    copied_whole() = default;
    ~copied_whole() { page_source().deallocate(region_, bytes); }
    copied_whole(const copied_whole&) = delete;
    copied_whole& operator=(const copied_whole&) = delete;

    static std::vector<subject_info> ways() {
        return {{.name = "copy-all",
                 .summary = "tlsf_resource, of which all memory in use is copied",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    static constexpr std::size_t bytes = 640_MiB;

    std::byte* region_ = static_cast<std::byte*>(page_source().allocate(bytes));
    tlsf_resource heap_{std::span<std::byte>{region_, bytes}};
    std::size_t used_ = 0;
    std::vector<std::byte> copy_;
};

} // namespace arenite::lab
