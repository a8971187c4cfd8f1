// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace support {

/// A block in memory of its own.
class standing_block {
public:
    explicit standing_block(std::size_t bytes)
        : memory_{static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}))},
          block_{::new(static_cast<void*>(memory_.get())) arenite::detail::block{}} {
        block_->granules = static_cast<std::uint32_t>(bytes / arenite::detail::granule_bytes);
    }

    arenite::detail::block& operator*() const { return *block_; }
    arenite::detail::block* operator->() const { return block_; }

private:
    struct give_back {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
    };

    std::unique_ptr<std::byte, give_back> memory_;
    arenite::detail::block* block_;
};

} // namespace support
