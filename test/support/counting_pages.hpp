// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace support {

/// Pages of its own under observation: counts, remembers what is out, lends no more than it is set
/// to, and fails the test where something comes back otherwise than it went. Like page_resource it
/// gives the lowest address first and takes single pages back (concept Purging).
class counting_pages final : public arenite::resource_base<counting_pages> {
public:
    struct request {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
    };

    counting_pages() = default;
    ~counting_pages() override {
        EXPECT_EQ(live_.size(), 0u) << "allocations never came back to their upstream";
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = arenite::default_alignment) noexcept {
        ++calls_;
        if (bytes > most_bytes_ - live_bytes_)
            return nullptr;
        void* p = pages_.try_allocate(bytes, alignment);
        if (p != nullptr) {
            live_.emplace(arenite::address_of(p), request{p, bytes, alignment});
            all_.push_back({p, bytes, alignment});
            live_bytes_ += bytes;
        }
        return p;
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = arenite::default_alignment) noexcept {
        if (comes_back(p, bytes, alignment))
            pages_.deallocate(p, bytes, alignment);
    }

    void release(void* p, std::size_t bytes,
                 std::size_t alignment = arenite::default_alignment) noexcept {
        releases_ += 1;
        if (comes_back(p, bytes, alignment))
            pages_.release(p, bytes, alignment);
    }

    void purge(void* p, std::size_t bytes) noexcept {
        auto above = live_.upper_bound(arenite::address_of(p));
        const bool inside = above != live_.begin() &&
                            arenite::address_of(p) - (--above)->first < above->second.bytes &&
                            above->second.bytes - (arenite::address_of(p) - above->first) >= bytes;
        EXPECT_TRUE(inside) << "a purge outside of what is lent";
        EXPECT_TRUE(arenite::is_aligned(p, arenite::detail::os::platform::page_bytes()));
        purged_bytes_ += bytes;
        pages_.purge(p, bytes);
    }

    /// No more than this is lent at a time.
    void lend_at_most(std::size_t bytes) noexcept { most_bytes_ = bytes; }

    /// Every request that was served, oldest first.
    [[nodiscard]] const std::vector<request>& requests() const noexcept { return all_; }

    /// Requests to lend, served or not.
    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
    [[nodiscard]] std::size_t deallocations() const noexcept { return deallocations_; }
    /// Frees that asked for the memory to leave the process at once.
    [[nodiscard]] std::size_t releases() const noexcept { return releases_; }
    [[nodiscard]] std::size_t purged_bytes() const noexcept { return purged_bytes_; }
    [[nodiscard]] std::size_t live() const noexcept { return live_.size(); }
    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }

    /// How much of what is lent is in memory now.
    [[nodiscard]] std::size_t resident_bytes() const noexcept {
        std::size_t sum = 0;
        const std::size_t page = arenite::detail::os::platform::page_bytes();
        for (const auto& [address, r] : live_)
            sum += arenite::detail::os::platform::resident_bytes(r.p,
                                                                 arenite::align_up(r.bytes, page));
        return sum;
    }

private:
    bool comes_back(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        const auto found = live_.find(arenite::address_of(p));
        if (found == live_.end()) {
            ADD_FAILURE() << "deallocate of " << p << ", which is not out";
            return false;
        }
        EXPECT_EQ(found->second.bytes, bytes) << "another size came back";
        EXPECT_EQ(found->second.alignment, alignment) << "another alignment came back";
        ++deallocations_;
        live_bytes_ -= found->second.bytes;
        live_.erase(found);
        return true;
    }

    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

    arenite::page_resource pages_{arenite::page_options{
        .reserve_bytes = std::size_t{4} << 30, .huge = arenite::huge_pages::never, .delay_ms = 0}};
    std::map<std::uintptr_t, request> live_;
    std::vector<request> all_;
    std::size_t most_bytes_ = most;
    std::size_t live_bytes_ = 0;
    std::size_t calls_ = 0;
    std::size_t deallocations_ = 0;
    std::size_t releases_ = 0;
    std::size_t purged_bytes_ = 0;
};

} // namespace support
