// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace support {

/// A file for one recording, of a name that no other test has; removed at the end.
class recording_place {
public:
    recording_place() = default;
    ~recording_place() { std::remove(c_str()); }
    recording_place(const recording_place&) = delete;
    recording_place& operator=(const recording_place&) = delete;

    [[nodiscard]] const char* c_str() const noexcept { return path_.c_str(); }

private:
    static std::string number() { return std::to_string(std::random_device{}()); }

    std::string path_ = testing::TempDir() + "arenite_" + number() + number() + ".ev";
};

struct recorded_event {
    std::uint32_t slot, bytes;
    unsigned op, log2_alignment;
    bool operator==(const recorded_event&) const = default;
};

/// A recorder's file, read back from its bytes.
struct recorded_file {
    std::array<std::uint64_t, 8> head{};
    std::vector<recorded_event> events;

    /// A torn one has more bytes than its head counts: its end was not written in whole.
    explicit recorded_file(const recording_place& place, bool is_torn = false) {
        std::ifstream in{place.c_str(), std::ios::binary};
        const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
        if (bytes.size() < sizeof head) {
            ADD_FAILURE() << place.c_str() << " has " << bytes.size() << " bytes";
            return;
        }
        std::memcpy(head.data(), bytes.data(), sizeof head);
        const std::size_t counted = sizeof head + 16 * static_cast<std::size_t>(head[0]);
        EXPECT_EQ(bytes.size() > counted, is_torn);
        EXPECT_GE(bytes.size(), counted);
        for (std::size_t i = sizeof head; i + 16 <= std::min(bytes.size(), counted); i += 16) {
            std::uint32_t words[4];
            std::memcpy(words, bytes.data() + i, sizeof words);
            events.push_back({words[0], words[1], words[2] >> 16 & 0xff, words[2] >> 24});
            most_thread_ = std::max(most_thread_, words[3] + 1);
        }
    }

    [[nodiscard]] std::uint64_t slots() const { return head[1]; }
    [[nodiscard]] std::uint64_t most_live_bytes() const { return head[2]; }
    [[nodiscard]] std::uint64_t live_bytes() const { return head[3]; }
    [[nodiscard]] std::uint64_t allocations() const { return head[4]; }
    [[nodiscard]] std::uint64_t resizes() const { return head[5]; }
    [[nodiscard]] std::uint32_t threads() const { return most_thread_; }

private:
    std::uint32_t most_thread_ = 0;
};

} // namespace support
