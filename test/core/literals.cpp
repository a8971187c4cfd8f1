// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

TEST(literals, are_powers_of_1024) {
    using namespace arenite;
    static_assert(7_B == 7);
    static_assert(1_KiB == 1024);
    static_assert(3_MiB == 3 * 1024 * 1024);
    static_assert(1_GiB == 1024_MiB);
    static_assert(0_TiB == 0);
#if SIZE_MAX > 0xffffffff
    static_assert(2_TiB == 2048_GiB);
#endif
    static_assert(std::is_same_v<decltype(1_KiB), std::size_t>);
}

TEST(literals, come_alone_too) {
    using namespace arenite::literals;
    static_assert(64_KiB == 65536);
}

TEST(literals, reach_the_largest_size) {
    using namespace arenite::literals;
#if SIZE_MAX > 0xffffffff
    static_assert(16777215_TiB == std::size_t{16777215} << 40); // one more does not compile
    static_assert(18446744073709551615_B == ~std::size_t{0});
#else
    static_assert(3_GiB == std::size_t{3} << 30); // one more does not compile
    static_assert(4294967295_B == ~std::size_t{0});
#endif
}

} // namespace
