// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/pattern.hpp"
#include "support/piece.hpp"

// Shared by the tests of ordered_heap.
namespace ordered_test {

using namespace arenite;
using support::counting_pages;
using support::counting_resource;
using support::every_call_is_careful;
using support::pattern;
using support::piece;

inline constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

/// Blocks on pages and on any other upstream, as the class comment tells.
inline constexpr std::size_t page_block = 256_KiB;
inline constexpr std::size_t other_block = 64_KiB;

inline constexpr ordered_options known{};
inline constexpr ordered_options kept{.sizes = sizes::kept};

/// Bytes that a request takes in a heap whose blocks lie at multiples of `mask_bytes`: a slot of a
/// class, units of its own, or memory of its own.
constexpr std::size_t rounded(std::size_t bytes, std::size_t alignment,
                              std::size_t mask_bytes = page_block) {
    const unsigned number = detail::size_class::of(bytes, alignment);
    const std::size_t most = mask_bytes / 4;
    if (number < detail::size_class::count && detail::size_class::slot_bytes(number) <= most)
        return detail::size_class::slot_bytes(number);
    if ((number == detail::size_class::single && bytes + detail::unit_bytes <= most) ||
        detail::slab_geometry::fits_aligned_units(bytes, alignment, most))
        return align_up(std::max<std::size_t>(bytes, 1) + detail::slab::note_bytes,
                        detail::unit_bytes) -
               detail::slab::note_bytes;
    return align_up(std::max<std::size_t>(bytes, 1), detail::granule_bytes);
}

/// Bytes that size_of() tells of it: all that it takes; in a checked build what was asked.
constexpr std::size_t usable(std::size_t bytes, std::size_t alignment,
                             std::size_t mask_bytes = page_block) {
    return checks_enabled ? align_up(std::max<std::size_t>(bytes, 1), detail::granule_bytes)
                          : rounded(bytes, alignment, mask_bytes);
}

/// The block that p lies in.
inline std::uintptr_t block_at(const void* p, std::size_t block_bytes) {
    return align_down(address_of(p), block_bytes);
}

inline std::byte* plus(void* p, std::size_t bytes) { return static_cast<std::byte*>(p) + bytes; }

/// These tests are of the heap, also where the environment says that all goes to malloc. What they
/// leave alive on purpose is reported to nobody.
class heap_test : public testing::Test {
protected:
    heap_test() {
        set_leak_handler([](const leak_summary&) {});
    }
    ~heap_test() override {
        arenite::detail::set_passthrough_for_test(passthrough_before_);
        set_leak_handler(nullptr);
    }

    static std::vector<void*> take(ordered_heap& heap, std::size_t count, std::size_t bytes,
                                   std::size_t alignment = 8) {
        std::vector<void*> all(count);
        for (void*& p : all)
            p = heap.allocate(bytes, alignment);
        return all;
    }

    static void give(ordered_heap& heap, const std::vector<void*>& all, std::size_t bytes,
                     std::size_t alignment = 8) {
        for (void* p : all)
            heap.deallocate(p, bytes, alignment);
    }

private:
    bool passthrough_before_ = arenite::detail::set_passthrough_for_test(false);
};

} // namespace ordered_test
