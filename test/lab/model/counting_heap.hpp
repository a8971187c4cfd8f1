// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <new>
#include <utility>

namespace arenite::lab {

/// A subject that knows what it gave out, and fails the test that gives back anything else.
class counting_heap {
public:
    ~counting_heap() { EXPECT_TRUE(live_.empty()) << live_.size() << " allocations are left"; }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = ::operator new(bytes, std::align_val_t{alignment});
        live_.emplace(p, std::pair{bytes, alignment});
        ++calls_;
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        const auto known = live_.find(p);
        ASSERT_NE(known, live_.end()) << "given back, but not had from here";
        EXPECT_EQ(known->second, (std::pair{bytes, alignment}));
        ::operator delete(p, known->second.first, std::align_val_t{known->second.second});
        live_.erase(known);
    }

    [[nodiscard]] std::size_t live_bytes() const {
        std::size_t bytes = 0;
        for (const auto& [p, size] : live_)
            bytes += size.first;
        return bytes;
    }
    [[nodiscard]] std::size_t live() const { return live_.size(); }
    [[nodiscard]] std::size_t calls() const { return calls_; }

private:
    std::map<void*, std::pair<std::size_t, std::size_t>> live_;
    std::size_t calls_ = 0;
};

} // namespace arenite::lab
