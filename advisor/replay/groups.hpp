// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "prepared.hpp"

#include <arenite/core/literals.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

namespace arenite::replay {

/// The Arenite memory of a group of call sites.
///
/// Threads: one at a time, which holds lock() where there are more.
class group {
public:
    static constexpr std::size_t largest_pooled = 1024, pool_step = 16;

    void use(strategy how) {
        how_ = how;
        if (how == strategy::ordered)
            ordered_ = std::make_unique<ordered_heap>(ordered_options{.sizes = sizes::given});
        if (how == strategy::linear || how == strategy::frame)
            linear_ = std::make_unique<growing_linear_resource>(64_GiB);
    }
    [[nodiscard]] strategy how() const noexcept { return how_; }
    [[nodiscard]] std::mutex& lock() noexcept { return lock_; }

    /// Null: not here, malloc is to serve it.
    void* allocate(std::size_t bytes, std::size_t alignment) {
        switch (how_) {
        case strategy::ordered:
            return ordered_->try_allocate(bytes, alignment);
        case strategy::pools:
            return bytes <= largest_pooled && alignment <= pool_step
                       ? pool_for(bytes).try_allocate(bytes, pool_step)
                       : nullptr;
        case strategy::linear:
            ++live_;
            return linear_->try_allocate(bytes, alignment);
        case strategy::frame:
            if (is_outlived_ && linear_->in_use() >= most_outlived)
                return nullptr;
            ++live_;
            return linear_->try_allocate(bytes, alignment);
        default:
            return nullptr;
        }
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        switch (how_) {
        case strategy::ordered:
            return ordered_->deallocate(p, bytes, alignment);
        case strategy::pools:
            return pool_for(bytes).deallocate(p, bytes, pool_step);
        case strategy::linear:
            linear_->deallocate(p, bytes, alignment);
            if (--live_ == 0)
                reset();
            return;
        case strategy::frame: // all of it goes at the mark
            --live_;
            return;
        default:
            return;
        }
    }

    /// The end of a frame was marked: memory for frames is reset, unless an object lives on.
    void frame_ends() {
        if (how_ != strategy::frame)
            return;
        is_outlived_ = live_ != 0;
        if (!is_outlived_)
            reset();
    }

    /// Bytes that a linear group held at most, dead ones too.
    [[nodiscard]] std::size_t held() const noexcept {
        return linear_ == nullptr ? 0 : std::max(held_, linear_->in_use());
    }

private:
    /// An object that outlives its frame holds all that comes after; beyond this, malloc serves it.
    static constexpr std::size_t most_outlived = 256_MiB;

    void reset() {
        held_ = std::max(held_, linear_->in_use());
        linear_->reset();
    }

    pool_resource& pool_for(std::size_t bytes) {
        std::unique_ptr<pool_resource>& p = pools_[(bytes + pool_step - 1) / pool_step];
        if (p == nullptr)
            p = std::make_unique<pool_resource>(slot{
                .bytes = (bytes + pool_step - 1) / pool_step * pool_step, .alignment = pool_step});
        return *p;
    }

    std::mutex lock_;
    strategy how_ = strategy::malloc;
    std::unique_ptr<ordered_heap> ordered_;
    std::unique_ptr<growing_linear_resource> linear_;
    std::array<std::unique_ptr<pool_resource>, largest_pooled / pool_step + 1> pools_;
    std::size_t live_ = 0, held_ = 0;
    bool is_outlived_ = false;
};

} // namespace arenite::replay
