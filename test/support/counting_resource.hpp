// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <map>

namespace support {

/// An upstream under observation: counts, remembers what is out, fails when told to, and fails the
/// test where memory comes back with another size or alignment, was written behind its end, or does
/// not come back at all.
class counting_resource final : public arenite::resource_base<counting_resource> {
public:
    counting_resource() = default;
    ~counting_resource() override {
        EXPECT_EQ(live_.size(), 0u) << "allocations never came back to their upstream";
        for (const auto& [p, asked] : live_)
            give_back(p, asked);
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = arenite::default_alignment) noexcept {
        const std::size_t call = calls_++;
        if (call >= fail_from_ || call == fail_at_) {
            ++failures_;
            return nullptr;
        }
        if (bytes > never - sizeof(guard))
            return nullptr;
        void* p = arenite::system_resource().try_allocate(bytes + sizeof(guard), alignment);
        if (p != nullptr) {
            std::memcpy(static_cast<std::byte*>(p) + bytes, guard, sizeof(guard));
            live_.emplace(p, request{bytes, alignment});
            live_bytes_ += bytes;
            ++allocations_;
        }
        return p;
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = arenite::default_alignment) noexcept {
        const auto found = live_.find(p);
        if (found == live_.end()) {
            ADD_FAILURE() << "deallocate of " << p << ", which is not out";
            return;
        }
        EXPECT_EQ(found->second.bytes, bytes) << "another size came back";
        EXPECT_EQ(found->second.alignment, alignment) << "another alignment came back";
        live_bytes_ -= found->second.bytes;
        ++deallocations_;
        give_back(p, found->second);
        live_.erase(found);
    }

    /// From now on the first `count` requests succeed and all later ones fail.
    void fail_after(std::size_t count) noexcept { fail_from_ = calls_ + count; }
    /// The first `count` requests succeed, the next one fails, all others succeed.
    void fail_once_after(std::size_t count) noexcept { fail_at_ = calls_ + count; }
    void never_fail() noexcept { fail_from_ = fail_at_ = never; }

    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
    [[nodiscard]] std::size_t failures() const noexcept { return failures_; }
    [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }
    [[nodiscard]] std::size_t deallocations() const noexcept { return deallocations_; }
    [[nodiscard]] std::size_t live() const noexcept { return live_.size(); }
    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }

private:
    struct request {
        std::size_t bytes;
        std::size_t alignment;
    };

    static void give_back(void* p, const request& r) noexcept {
        EXPECT_EQ(std::memcmp(static_cast<std::byte*>(p) + r.bytes, guard, sizeof(guard)), 0)
            << "written behind the end of " << r.bytes << " bytes";
        arenite::system_resource().deallocate(p, r.bytes + sizeof(guard), r.alignment);
    }

    static constexpr unsigned char guard[256] = {0x47, 0x75, 0x61, 0x72, 0x64};
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    std::map<void*, request> live_;
    std::size_t live_bytes_ = 0;
    std::size_t calls_ = 0;
    std::size_t allocations_ = 0;
    std::size_t deallocations_ = 0;
    std::size_t failures_ = 0;
    std::size_t fail_from_ = never;
    std::size_t fail_at_ = never;
};

} // namespace support
