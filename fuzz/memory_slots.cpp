// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on memory_slots beside a map of what lies where: each byte pair is a request or
// a release.
#include <arenite/offset/memory_slots.hpp>

#include "support/driver.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

namespace {

class program final : public support::driver {
public:
    explicit program(std::size_t total) : total_{total}, slots_{total} {}

private:
    void one(support::decisions&) override {
        const std::size_t what = byte(), n = byte();
        what < 160 || model_.empty() ? reserve(what, n) : release(n);
        if (!slots_.check() || slots_.empty() != model_.empty())
            wrong("it is not in order");
    }
    void reserve(std::size_t what, std::size_t n) {
        const std::size_t bytes = 1 + n * (1 + what % 3), alignment = 1 + what % 64;
        const auto at = slots_.reserve(bytes, alignment);
        if (!at)
            return;
        const auto above = model_.lower_bound(*at);
        if (*at % alignment != 0 || *at + bytes > total_ ||
            (above != model_.end() && *at + bytes > above->first) ||
            (above != model_.begin() && std::prev(above)->first + std::prev(above)->second > *at))
            wrong("not aligned, or not apart from the others");
        model_.emplace(*at, bytes);
    }
    void release(std::size_t n) {
        const auto chosen =
            std::next(model_.begin(), static_cast<std::ptrdiff_t>(n % model_.size()));
        slots_.release(chosen->first, chosen->second);
        model_.erase(chosen);
    }

    std::size_t total_;
    arenite::memory_slots slots_;
    std::map<std::size_t, std::size_t> model_;
};

} // namespace

std::string run(support::byte_source& source) {
    return program{source.byte() * std::size_t{64}}.run(source);
}
