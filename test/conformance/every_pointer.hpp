// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/object/unique_ptr.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace conformance_suite {

/// Owns objects in memory of r by each kind of pointer that there is for any resource.
template <class R>
void use_every_pointer(R& r) {
    struct alignas(32) object {
        explicit object(int v) : value{v} {}
        int value;
        std::shared_ptr<object> next;
    };
    auto one = arenite::make_unique<object>(r, 1);
    auto many = arenite::make_unique<int[]>(r, 100);
    arenite::unique_ptr<object> any = std::move(one);
    EXPECT_EQ(any->value + many[99], 1);

    const arenite::resource_allocator<object, R> memory{r};
    auto shared = std::allocate_shared<object>(memory, 2);
    shared->next = std::allocate_shared<object>(memory, 3);
    std::weak_ptr<object> weak = shared->next;
    auto copy = shared;
    shared.reset();
    EXPECT_EQ(weak.lock()->value, 3);
    copy.reset();
    EXPECT_TRUE(weak.expired());
}

} // namespace conformance_suite
