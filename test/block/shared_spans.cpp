// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/shared_spans.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;
using detail::shared_spans;
using support::counting_pages;

namespace {

class shared_spans_of : public testing::Test {
protected:
    counting_pages pages;
    upstream up{&pages};
    shared_spans spans{up, 256_KiB};

    [[nodiscard]] std::size_t free_bytes() const {
        std::size_t sum = 0;
        spans.for_each_free([&](const std::byte*, std::size_t bytes) { sum += bytes; });
        return sum;
    }
    [[nodiscard]] std::size_t head_bytes() const {
        std::size_t sum = 0;
        spans.for_each_head([&](const std::byte*, std::size_t bytes) { sum += bytes; });
        return sum;
    }
};

} // namespace

TEST_F(shared_spans_of, runs_lie_side_by_side_and_the_lowest_place_comes_first) {
    std::byte* const a = spans.try_take(200_KiB, 16, 2_MiB).p;
    std::byte* const b = spans.try_take(100_KiB + 1, 16, 0).p;
    std::byte* const c = spans.try_take(300_KiB, 16, 0).p;
    EXPECT_EQ(b, a + 200_KiB);
    EXPECT_EQ(c, b + 101_KiB);
    EXPECT_EQ(pages.live_bytes(), 2_MiB);
    spans.give(a, 200_KiB, 0, false);
    EXPECT_EQ(spans.try_take(150_KiB, 16, 0).p, a);
    EXPECT_EQ(spans.bytes_taken(), 150_KiB + 101_KiB + 300_KiB);
    EXPECT_EQ(free_bytes() + head_bytes() + spans.bytes_taken(), spans.bytes_reserved());
}

TEST_F(shared_spans_of, little_of_a_span_is_lost_whatever_the_size_of_its_objects) {
    for (const std::size_t bytes : {66_KiB, 137_KiB, 196_KiB, 250_KiB, 513_KiB, 684_KiB, 977_KiB}) {
        shared_spans own{up, 256_KiB};
        ASSERT_NE(own.try_take(bytes, 16, 8_MiB).p, nullptr);
        while (own.try_take(bytes, 16, 0).p != nullptr) {
        }
        EXPECT_GE(own.bytes_taken(), 8_MiB - 8_MiB / 8) << bytes;
    }
}

TEST_F(shared_spans_of, a_new_one_has_room_for_two_objects_and_for_those_of_a_power_of_two) {
    for (std::size_t most = 512_KiB; most <= 8_MiB; most += 100_KiB)
        for (std::size_t bytes = 60_KiB; bytes <= 1_MiB + 1_KiB; bytes += 1_KiB) {
            const std::size_t span = shared_spans::span_bytes_for(bytes, most);
            ASSERT_TRUE(span == 0 || span >= 2 * bytes) << bytes << " of " << most;
            ASSERT_LE(span, std::max(most, std::bit_floor(most) + 64_KiB)) << bytes;
            ASSERT_TRUE(span != 0 || most < 2 * bytes + 64_KiB) << bytes << " of " << most;
        }
    for (std::size_t bytes = 1_KiB; bytes <= 1_MiB; bytes += 1_KiB)
        ASSERT_EQ(shared_spans::span_bytes_for(bytes, 0), 0u)
            << bytes << ": no new span is allowed";
    EXPECT_EQ(shared_spans::span_bytes_for(700_KiB, 8_MiB), 8_MiB);
    for (const std::size_t object : {64_KiB, 128_KiB, 256_KiB, 512_KiB, 1_MiB}) {
        const std::size_t run = object + 1_KiB; // with its head
        for (const std::size_t most : {2_MiB + 70_KiB, 4_MiB, 8_MiB}) {
            shared_spans own{up, 256_KiB};
            const std::size_t span = shared_spans::span_bytes_for(run, most);
            ASSERT_NE(own.try_take(run, 16, span).p, nullptr) << object << " of " << most;
            while (own.try_take(run, 16, 0).p != nullptr) {
            }
            EXPECT_EQ(own.bytes_reserved(), span);
            EXPECT_GE(own.bytes_taken() + std::max(span / 20, 64_KiB), span)
                << object << " of " << most;
        }
    }
}

TEST_F(shared_spans_of, what_is_aligned_lies_a_unit_behind_its_begin) {
    for (std::size_t alignment = 1; alignment <= shared_spans::largest_alignment; alignment *= 2) {
        std::byte* const p = spans.try_take(70_KiB, alignment, 2_MiB).p;
        ASSERT_NE(p, nullptr) << alignment;
        const std::size_t before = alignment > shared_spans::unit_bytes ? 1_KiB : 0;
        EXPECT_TRUE(is_aligned(p + before, alignment)) << alignment;
        EXPECT_TRUE(is_aligned(p, shared_spans::unit_bytes)) << alignment;
    }
}

TEST_F(shared_spans_of, grow_and_shrink_in_place_where_there_is_room) {
    std::byte* const a = spans.try_take(100_KiB, 16, 512_KiB).p;
    std::byte* const b = spans.try_take(100_KiB, 16, 0).p;
    EXPECT_FALSE(spans.try_resize(a, 100_KiB, 101_KiB)) << "there is the next one";
    EXPECT_FALSE(spans.try_resize(b, 100_KiB, 512_KiB)) << "the span is too short";
    EXPECT_TRUE(spans.try_resize(b, 100_KiB, 300_KiB));
    std::memset(b, 1, 300_KiB);
    EXPECT_EQ(spans.bytes_taken(), 400_KiB);
    EXPECT_TRUE(spans.try_resize(a, 100_KiB, 20_KiB));
    EXPECT_TRUE(spans.try_resize(a, 20_KiB, 100_KiB));
    EXPECT_TRUE(spans.try_resize(b, 300_KiB, 299_KiB + 1)) << "the same units";
    spans.give(a, 100_KiB, 0, false);
    spans.give(b, 300_KiB, 0, false);
    EXPECT_EQ(pages.live_bytes(), 0u);
}

TEST_F(shared_spans_of, what_is_free_on_both_sides_of_a_short_run_is_as_long_as_it_is) {
    // Three free runs meet in the second 64 units, of which none is as long as a request.
    std::byte* const a = spans.try_take(107_KiB, 16, 512_KiB).p; // from unit 3 on
    std::byte* const b = spans.try_take(64_KiB, 16, 0).p;        // from 110 on
    EXPECT_TRUE(spans.try_resize(b, 64_KiB, 19_KiB));
    std::byte* const c = spans.try_take(64_KiB, 16, 0).p; // from 129 on
    EXPECT_EQ(c, a + 126_KiB);
    EXPECT_TRUE(spans.try_resize(a, 107_KiB, 67_KiB)); // 40 units are free below b
    EXPECT_TRUE(spans.try_resize(b, 19_KiB, 3_KiB));   // and 16 above it
    spans.give(b, 3_KiB, 0, false);
    EXPECT_EQ(spans.try_take(64_KiB, 16, 0).p, c + 64_KiB) << "59 units are too few";
    EXPECT_TRUE(spans.try_resize(a, 67_KiB, 126_KiB));
    EXPECT_FALSE(spans.try_resize(a, 126_KiB, 127_KiB));
}

TEST_F(shared_spans_of, a_span_goes_back_with_its_last_run_or_is_kept) {
    std::byte* const a = spans.try_take(100_KiB, 16, 512_KiB).p;
    std::byte* const b = spans.try_take(100_KiB, 16, 0).p;
    spans.give(b, 100_KiB, 0, false);
    EXPECT_EQ(pages.live_bytes(), 512_KiB);
    spans.give(a, 100_KiB, 512_KiB, false);
    EXPECT_EQ(pages.live_bytes(), 512_KiB);
    EXPECT_EQ(spans.bytes_empty(), 512_KiB);
    EXPECT_EQ(spans.try_take(100_KiB, 16, 0).p, a);
    spans.give(a, 100_KiB, 512_KiB, false);
    spans.give_empty(true);
    EXPECT_EQ(pages.live_bytes(), 0u);
    EXPECT_EQ(spans.bytes_reserved(), 0u);
    EXPECT_EQ(spans.bytes_resident(), 0u);
}

TEST_F(shared_spans_of, refuse_and_change_nothing_where_the_upstream_does) {
    pages.lend_at_most(0);
    EXPECT_EQ(spans.try_take(100_KiB, 16, 512_KiB).p, nullptr);
    EXPECT_EQ(spans.try_take(100_KiB, 16, 0).p, nullptr);
    EXPECT_EQ(spans.try_take(600_KiB, 16, 512_KiB).p, nullptr) << "no span of that size has it";
    EXPECT_EQ(spans.bytes_reserved(), 0u);
}

TEST_F(shared_spans_of, what_was_never_used_is_zero_and_what_was_is_not_said_to_be) {
    page_resource own{page_options{.reserve_bytes = 64_MiB}};
    const upstream from{&own};
    shared_spans fresh{from, 256_KiB};
    const shared_spans::run first = fresh.try_take(100_KiB, 16, 512_KiB);
    EXPECT_TRUE(first.is_zero);
    EXPECT_EQ(first.p[99_KiB], std::byte{0});
    static_cast<void>(fresh.try_take(64_KiB, 16, 0));
    fresh.give(first.p, 100_KiB, 0, false);
    EXPECT_FALSE(fresh.try_take(100_KiB, 16, 0).is_zero);
}

TEST_F(shared_spans_of, trim_gives_the_pages_of_free_runs_back) {
    std::vector<std::byte*> all;
    for (int i = 0; i < 7; ++i) {
        all.push_back(spans.try_take(256_KiB, 16, 2_MiB).p);
        std::memset(all.back(), 1, 256_KiB);
    }
    for (const int i : {1, 2, 4})
        spans.give(all[static_cast<std::size_t>(i)], 256_KiB, 0, false);
    EXPECT_EQ(spans.bytes_resident(), 768_KiB);
    const std::size_t before = pages.resident_bytes();
    spans.return_excess(1_MiB);
    EXPECT_EQ(pages.resident_bytes(), before) << "so much may stay";
    spans.trim();
    EXPECT_EQ(spans.bytes_resident(), 0u);
    EXPECT_LE(pages.resident_bytes() + 768_KiB, before + 4 * detail::os::platform::page_bytes());
    EXPECT_EQ(all[0][256_KiB - 1], std::byte{1});
    EXPECT_EQ(all[3][0], std::byte{1});
}

TEST_F(shared_spans_of, more_than_32_mib_that_is_free_goes_back_at_once) {
    std::vector<std::byte*> all;
    while (all.size() < 80) {
        all.push_back(spans.try_take(1_MiB, 16, 8_MiB).p);
        std::memset(all.back(), 1, 1_MiB);
    }
    // One of each span stays.
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 7 == 0)
            continue;
        spans.give(all[i], 1_MiB, 0, false);
        spans.return_excess(2_MiB);
        EXPECT_LE(spans.bytes_resident(), 33_MiB);
    }
    EXPECT_EQ(all[0][1_MiB - 1], std::byte{1});
}

TEST_F(shared_spans_of, what_is_free_while_use_keeps_its_level_stays) {
    std::vector<std::byte*> all;
    while (all.size() < 160)
        all.push_back(spans.try_take(1_MiB, 16, 8_MiB).p);
    const auto free_and_take = [&] { // 39 MiB: more than 32 and than a quarter, not a quarter less
        for (std::size_t i = 0; i < 39; ++i) {
            spans.give(all[4 * i], 1_MiB, 0, false);
            spans.return_excess(2_MiB);
        }
        const std::size_t resident = spans.bytes_resident();
        for (std::size_t i = 0; i < 39; ++i)
            all[4 * i] = spans.try_take(1_MiB, 16, 0).p;
        return resident;
    };
    // In a round of a second something may have been idle: a machine that slow gets another one.
    std::uint64_t begin = 0;
    std::size_t resident = 0;
    do {
        begin = detail::os::platform::now_ms();
        resident = free_and_take();
    } while (detail::os::platform::now_ms() - begin > 500);
    EXPECT_GE(resident, 39_MiB);
}

namespace {

/// The work of shared_spans from the bits alone: a character for each unit, all looked at anew.
class naive_spans {
public:
    struct span {
        std::string taken; ///< '#', or '.' where a unit is free
        std::string clean; ///< 'c', or '.' where a unit is taken or may have memory
        bool is_zero;
    };
    std::map<const std::byte*, span> all; ///< by the address of the head
    std::size_t head_units = 0;

    struct place {
        span* its = nullptr; ///< nullptr: a new one
        std::size_t unit = 0;
    };

    [[nodiscard]] static std::size_t longest(const span& s) {
        std::size_t most = 0;
        for_each_run(
            s, [&](std::size_t first, std::size_t end) { most = std::max(most, end - first); });
        return most;
    }

    template <class F>
    static void for_each_run(const span& s, F f) {
        for (std::size_t i = 0; (i = s.taken.find('.', i)) != std::string::npos;) {
            const std::size_t end = std::min(s.taken.find('#', i), s.taken.size());
            f(i, end);
            i = end;
        }
    }

    /// The lowest place in the lowest span whose longest run is of a length that all requests of so
    /// many units find, or in the lowest of 16 where it may be.
    [[nodiscard]] place place_for(std::size_t units, std::size_t every) {
        const std::size_t least = units + every - 1;
        for (auto& [head, s] : all) {
            if (lengths(longest(s)) > lengths(least - 1))
                return place_in(s, least, every);
        }
        int tried = 0;
        for (auto& [head, s] : all) {
            if (lengths(least - 1) == 0 || lengths(longest(s)) < lengths(least - 1))
                continue;
            if (tried++ == 16)
                break;
            if (longest(s) >= least)
                return place_in(s, least, every);
        }
        return {};
    }

    [[nodiscard]] static place place_in(span& s, std::size_t least, std::size_t every) {
        const std::size_t begin = s.taken.find(std::string(least, '.'));
        return {&s, align_up(begin + 1, every) - 1};
    }

    static void set(std::string& in, std::size_t first, std::size_t units, char to) {
        in.replace(first, units, units, to);
    }

    [[nodiscard]] std::pair<const std::byte* const, span>& holding(const std::byte* p) {
        return *std::prev(all.upper_bound(p));
    }

    [[nodiscard]] std::size_t count(char taken, char clean) const {
        std::size_t sum = 0;
        for (const auto& [head, s] : all)
            sum += count(s, taken, clean);
        return sum;
    }
    [[nodiscard]] static std::size_t count(const span& s, char taken, char clean) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < s.taken.size(); ++i)
            sum += s.taken[i] == taken && s.clean[i] == clean ? 1U : 0U;
        return sum;
    }

    void trim() {
        for (auto& [head, s] : all) {
            if (count(s, '.', '.') < 64) // not worth a call
                continue;
            for (std::size_t i = 0; i < s.taken.size(); ++i)
                s.clean[i] = s.taken[i] == '.' ? 'c' : '.';
            s.is_zero = false;
        }
    }

private:
    /// So many of the lengths that spans are told apart by are at most `units`.
    [[nodiscard]] static int lengths(std::size_t units) {
        int n = 0;
        for (const std::size_t l :
             {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096})
            n += l <= units ? 1 : 0;
        return n;
    }
};

/// shared_spans and the model side by side.
class shared_spans_and_model : public testing::TestWithParam<unsigned> {
protected:
    page_resource pages{page_options{.reserve_bytes = 256_MiB, .huge = huge_pages::never}};
    upstream up{&pages};
    shared_spans spans{up, 256_KiB};
    naive_spans model;
    std::map<std::byte*, std::size_t> objects;

    /// Some sizes are no whole units.
    [[nodiscard]] static std::size_t bytes_of(std::size_t units) {
        return units * shared_spans::unit_bytes - units % 3;
    }

    void take(std::size_t units, std::size_t every, std::size_t span_bytes) {
        naive_spans::place expected = model.place_for(units, every);
        const std::size_t alignment = every * shared_spans::unit_bytes;
        const auto got = spans.try_take(bytes_of(units), alignment, span_bytes);
        if (expected.its == nullptr && got.p != nullptr) {
            // The upstream says where a new one lies, and whether it is zero.
            spans.for_each_head([&](const std::byte* head, std::size_t bytes) {
                model.head_units = bytes / 1_KiB;
                const std::size_t rest = span_bytes / 1_KiB - model.head_units;
                const auto [at, is_new] = model.all.try_emplace(
                    head,
                    naive_spans::span{std::string(model.head_units, '#') + std::string(rest, '.'),
                                      std::string(model.head_units, '.') + std::string(rest, 'c'),
                                      got.is_zero});
                if (is_new)
                    expected = naive_spans::place_in(at->second, units + every - 1, every);
            });
        }
        if (got.p == nullptr) {
            ASSERT_EQ(expected.its, nullptr) << units << " units";
            ASSERT_EQ(span_bytes, 0u) << units << " units";
            return;
        }
        ASSERT_NE(expected.its, nullptr);
        auto& [head, its] = model.holding(got.p);
        ASSERT_EQ(&its, expected.its) << units << " units";
        ASSERT_EQ(got.p, head + expected.unit * 1_KiB) << units << " units, every " << every;
        ASSERT_EQ(got.is_zero,
                  its.is_zero && its.clean.substr(expected.unit, units) == std::string(units, 'c'));
        naive_spans::set(its.taken, expected.unit, units, '#');
        naive_spans::set(its.clean, expected.unit, units, '.');
        objects.emplace(got.p, units);
    }

    void give(std::map<std::byte*, std::size_t>::iterator it, std::size_t kept_bytes) {
        auto& [head, its] = model.holding(it->first);
        naive_spans::set(its.taken, unit_of(head, it->first), it->second, '.');
        spans.give(it->first, bytes_of(it->second), kept_bytes, false);
        objects.erase(it);
        if (!is_empty(its))
            return;
        std::size_t empty = 0;
        for (const auto& [at, s] : model.all)
            empty += is_empty(s) ? s.taken.size() * 1_KiB : 0;
        for (auto at = model.all.end(); empty > kept_bytes;)
            if (is_empty((--at)->second)) { // the highest first
                empty -= at->second.taken.size() * 1_KiB;
                at = model.all.erase(at);
            }
    }
    [[nodiscard]] bool is_empty(const naive_spans::span& s) const {
        return s.taken.find('#', model.head_units) == std::string::npos;
    }

    void resize(std::map<std::byte*, std::size_t>::iterator it, std::size_t units) {
        auto& [head, its] = model.holding(it->first);
        const std::size_t first = unit_of(head, it->first);
        const std::size_t end = first + it->second;
        const std::size_t more = units - std::min(units, it->second);
        const bool fits = first + units <= its.taken.size() &&
                          its.taken.substr(end, more) == std::string(more, '.');
        ASSERT_EQ(spans.try_resize(it->first, bytes_of(it->second), bytes_of(units)), fits);
        if (!fits)
            return;
        naive_spans::set(its.taken, first, it->second, '.');
        naive_spans::set(its.taken, first, units, '#');
        naive_spans::set(its.clean, end, more, '.');
        it->second = units;
    }

    void expect_same() {
        using runs = std::vector<std::pair<const std::byte*, std::size_t>>;
        runs expected;
        std::size_t units = 0;
        for (const auto& [head, s] : model.all) {
            units += s.taken.size();
            const std::byte* const at = head;
            naive_spans::for_each_run(s, [&](std::size_t first, std::size_t end) {
                expected.emplace_back(at + first * 1_KiB, (end - first) * 1_KiB);
            });
        }
        runs found;
        spans.for_each_free(
            [&](const std::byte* p, std::size_t bytes) { found.emplace_back(p, bytes); });
        ASSERT_EQ(found, expected);
        ASSERT_EQ(spans.bytes_reserved(), units * 1_KiB);
        ASSERT_EQ(spans.bytes_resident(), model.count('.', '.') * 1_KiB);
        ASSERT_EQ(spans.bytes_taken(),
                  (model.count('#', '.') - model.all.size() * model.head_units) * 1_KiB);
    }

private:
    [[nodiscard]] static std::size_t unit_of(const std::byte* head, const std::byte* p) {
        return static_cast<std::size_t>(p - head) / shared_spans::unit_bytes;
    }
};

} // namespace

TEST_P(shared_spans_and_model, agree_on_every_place_and_figure) {
    const unsigned seed = GetParam();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 engine{seed};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    constexpr std::size_t sizes[] = {512_KiB, 2_MiB, 8_MiB, 8_MiB + 64_KiB};
    for (int step = 0; step < 3000; ++step) {
        const auto pick = [&] {
            return std::next(objects.begin(), static_cast<std::ptrdiff_t>(below(objects.size())));
        };
        const std::size_t op = below(20);
        if (op < 11 || objects.empty()) {
            const std::size_t units = 64 + below(below(2) == 0 ? 100 : 962);
            const std::size_t every = below(3) != 0 ? 1 : std::size_t{1} << below(7);
            const bool may_grow = model.all.size() < 5;
            const std::size_t shortest = (units + every + 2) * 1_KiB;
            take(units, every, may_grow ? std::max(sizes[below(4)], shortest) : 0);
        } else if (op < 17) {
            give(pick(), below(3) * 3_MiB);
        } else {
            resize(pick(), 1 + below(op == 17 ? 1100 : 200));
        }
        if (below(100) == 0) {
            spans.trim();
            model.trim();
        }
        if (!HasFatalFailure() && step % 8 == 0)
            expect_same();
        if (HasFatalFailure())
            return;
    }
    while (!objects.empty())
        give(objects.begin(), 0);
    spans.give_empty(false);
    EXPECT_EQ(spans.bytes_reserved(), 0u);
    EXPECT_EQ(spans.bytes_resident(), 0u);
}

INSTANTIATE_TEST_SUITE_P(seeds, shared_spans_and_model, testing::Range(1u, 7u));
