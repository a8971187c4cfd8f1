// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_pages.hpp>

#include <arenite/core/literals.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#include "support/addresses.hpp"

using namespace arenite;
using detail::affinity_pages;

namespace {

/// Stands for a thread heap: nothing is looked at there.
alignas(64) std::byte somebody[64];
detail::thread_heap& its_heap() { return reinterpret_cast<detail::thread_heap&>(somebody); }

const void* owner_of(const void* p) { return detail::thread_heap_front::around(p); }

TEST(affinity_pages, tell_whose_they_are_from_the_first_byte_to_the_last) {
    affinity_pages pages;
    pages.belong_to(its_heap(), 63);
    EXPECT_EQ(pages.index(), 63U);
    for (const std::size_t bytes : {std::size_t{1}, 64_KiB, 64_KiB + 1, 3_MiB}) {
        auto* const p = static_cast<std::byte*>(pages.allocate(bytes, 8));
        for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
            EXPECT_EQ(owner_of(p + at), +somebody);
        }
        pages.deallocate(p, bytes, 8);
        EXPECT_EQ(owner_of(p), nullptr);
        EXPECT_EQ(owner_of(p + bytes - 1), nullptr);
    }
}

TEST(affinity_pages, release_and_purge_pass_on) {
    affinity_pages pages;
    pages.belong_to(its_heap(), 1);
    auto* const p = static_cast<std::byte*>(pages.allocate(1_MiB, 1_MiB));
    EXPECT_TRUE(is_aligned(p, 1_MiB));
    p[5] = std::byte{7};
    pages.purge(p, 1_MiB);
    EXPECT_EQ(p[5], std::byte{0});
    EXPECT_EQ(owner_of(p), +somebody);
    pages.release(p, 1_MiB, 1_MiB);
    EXPECT_EQ(owner_of(p), nullptr);
}

TEST(affinity_pages, others_have_no_owner_here) {
    int local = 0;
    EXPECT_EQ(owner_of(nullptr), nullptr);
    EXPECT_EQ(owner_of(&local), nullptr);
    void* const p = page_source().allocate(64_KiB);
    EXPECT_EQ(owner_of(p), nullptr);
    page_source().deallocate(p, 64_KiB);
}

TEST(affinity_pages, what_is_refused_changes_nothing) {
    affinity_pages pages;
    pages.belong_to(its_heap(), 1);
    EXPECT_EQ(pages.try_allocate(~std::size_t{0}, 8), nullptr);
    EXPECT_EQ(pages.try_allocate(support::beyond_memory, 8), nullptr);
}

} // namespace
