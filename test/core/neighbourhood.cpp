// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/neighbourhood.hpp>

#include <arenite/core/resource_base.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

/// Has room for one object, and notes beside what it was asked for.
class one_place final : public resource_base<one_place> {
public:
    [[nodiscard]] void* try_allocate(std::size_t, std::size_t) noexcept { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t) noexcept { taken = false; }
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept {
        neighbour = p;
        if (taken || bytes > sizeof place || alignment > alignof(std::max_align_t))
            return nullptr;
        taken = true;
        return place;
    }

    const void* neighbour = nullptr;
    bool taken = false;
    alignas(std::max_align_t) std::byte place[64];
};

TEST(neighbourhood, asks_for_a_place_beside_its_object_and_throws_where_there_is_none) {
    one_place r;
    int object = 0;
    const detail::neighbourhood<one_place> beside{r, &object};
    EXPECT_EQ(beside.try_allocate(65), nullptr);
    EXPECT_EQ(r.neighbour, &object);
    EXPECT_EQ(beside.allocate(64, 8), r.place);
    EXPECT_EQ(beside.try_allocate(1, 1), nullptr);
#if defined(__cpp_exceptions)
    EXPECT_THROW(static_cast<void>(beside.allocate(1, 1)), out_of_memory);
#endif
}

} // namespace
