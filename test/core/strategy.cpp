// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/resource_base.hpp>
#include <arenite/core/strategy.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

class of_old final : public arenite::strategy<of_old> {
public:
    void* try_allocate(std::size_t bytes, std::size_t = arenite::default_alignment) noexcept {
        return bytes > sizeof memory ? nullptr : memory;
    }
    void deallocate(void*, std::size_t, std::size_t = arenite::default_alignment) noexcept {}

    alignas(64) std::byte memory[64];
};

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

TEST(strategy, is_resource_base_under_its_former_name) {
    static_assert(std::is_base_of_v<arenite::resource_base<of_old>, of_old>);
    of_old r;
    arenite::resource& base = r;
    EXPECT_EQ(base.allocate(40), r.memory);
}

} // namespace
