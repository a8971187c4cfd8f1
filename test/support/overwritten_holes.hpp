// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>

namespace support {

/// Checked builds: writes over what the holes of a resource note for it, four bytes at a time, in
/// processes of their own, and expects that an allocation finds it. Three holes of `bytes` lie
/// between allocations; `links` are where a hole keeps links, from the address its allocation had.
template <class R>
void expect_writes_into_holes_are_found(R& r, const char* name, std::size_t bytes,
                                        std::initializer_list<std::ptrdiff_t> links) {
    const std::size_t usable = bytes - 8; // a kept size takes the rest
    std::byte* p[6];
    for (std::byte*& each : p)
        each = static_cast<std::byte*>(r.allocate(usable));
    for (const int i : {4, 2, 0}) // of one length
        r.deallocate(p[i]);
    const auto write = [&](std::byte* at) {
        arenite::detail::poison::undefined(at, 4);
        std::memset(at, 0x11, 4);
        arenite::detail::poison::no_access(at, 4);
        for (int i = 0; i < 3; ++i) // one of them comes by, whatever is changed
            static_cast<void>(r.allocate(usable));
    };
    const std::string found =
        std::string{name} +
        " .*the free memory of [0-9]+ bytes at 0x[0-9a-f]+ was written to.*its neighbour below is "
        "the ";
    for (const int i : {4, 2, 0}) {
        EXPECT_DEATH(write(p[i] + 4), found) << i; // its length, at either end
        EXPECT_DEATH(write(p[i] + (static_cast<std::ptrdiff_t>(usable) - 4)), found) << i;
        for (const std::ptrdiff_t link : links)
            EXPECT_DEATH(write(p[i] + link), found) << i;
    }
    EXPECT_DEATH(write(p[2] + 4), found + "allocation at 0x");
    for (const int i : {1, 3, 5})
        r.deallocate(p[i]);
}

} // namespace support
