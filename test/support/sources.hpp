// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Where the decisions of a random program come from.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>

namespace support {

/// Decides what a program does.
class decisions {
public:
    /// One more operation? Asked before each.
    [[nodiscard]] virtual bool more() = 0;
    [[nodiscard]] virtual std::uint8_t byte() = 0;

protected:
    decisions() = default;
    decisions(const decisions&) = default;
    decisions& operator=(const decisions&) = default;
    ~decisions() = default;
};

/// Random decisions, one a step; the same for the same seed, on every machine.
class random_source final : public decisions {
public:
    random_source(std::uint64_t seed, std::size_t steps) : engine_{seed}, left_{steps} {}

    [[nodiscard]] bool more() override { return left_ > 0 && left_-- > 0; }
    [[nodiscard]] std::uint8_t byte() override {
        return static_cast<std::uint8_t>(engine_() >> 56);
    }

private:
    std::mt19937_64 engine_;
    std::size_t left_;
};

/// The bytes of a fuzzer; 0 after the last.
class byte_source final : public decisions {
public:
    byte_source(const std::uint8_t* data, std::size_t size) noexcept
        : at_{data}, end_{data + size} {}

    [[nodiscard]] bool more() override { return at_ != end_; }
    [[nodiscard]] std::uint8_t byte() override { return at_ != end_ ? *at_++ : std::uint8_t{0}; }
    /// All that is left.
    [[nodiscard]] std::span<const std::uint8_t> rest() const { return {at_, end_}; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// A number below `end`, of as many bytes as that needs; 0 if end is 0.
template <class Source>
[[nodiscard]] std::size_t below(Source& source, std::size_t end) {
    std::size_t value = 0;
    for (std::size_t rest = end; rest > 1; rest >>= 8)
        value = value << 8 | source.byte();
    return end == 0 ? 0 : value % end;
}

/// ARENITE_TEST_SEED from the environment, or a new one. Printed, so that a failure can be run
/// again.
[[nodiscard]] inline std::uint64_t test_seed(const char* test) {
    std::uint64_t seed = 0;
    if (const char* given = std::getenv("ARENITE_TEST_SEED"))
        seed = std::strtoull(given, nullptr, 0);
    else
        seed = std::random_device{}();
    std::printf("%s: ARENITE_TEST_SEED=%llu\n", test, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return seed;
}

} // namespace support
