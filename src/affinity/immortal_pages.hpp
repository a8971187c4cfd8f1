// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Room for objects of the process that are never freed: a bump pointer through chunks of pages.
///
/// Threads:   one at a time, under a lock of the owner's.
/// Failure:   nullptr; nothing changes.
template <class T, std::size_t ChunkBytes>
class immortal_pages {
    static_assert(sizeof(T) <= ChunkBytes &&
                  ChunkBytes % page_resource::unit_bytes == 0 && // whole units
                  alignof(T) <= page_resource::unit_bytes);

public:
    /// Where the next object may be constructed: the same place again until take() is called.
    [[nodiscard]] void* next() noexcept {
        if (static_cast<std::size_t>(end_ - next_) < sizeof(T)) {
            auto* const chunk = static_cast<std::byte*>(page_source().try_allocate(ChunkBytes));
            if (chunk == nullptr)
                return nullptr;
            next_ = chunk;
            end_ = chunk + ChunkBytes;
        }
        return next_;
    }

    /// The object at next() stays for good.
    void take() noexcept { next_ += sizeof(T); }

private:
    std::byte* next_ = nullptr;
    std::byte* end_ = nullptr;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
