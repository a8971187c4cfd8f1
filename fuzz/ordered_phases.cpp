// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of phases on an ordered_heap: thousands of one size, of which then a few stay,
// alone or in runs; larger ones that join the slots between them; frees that wait; resets; idle
// times, in which pages go back; and misuse, which is found and changes nothing. The first byte
// chooses the heap's options, the second where its memory comes from.

#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/deferred_frees.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/pattern.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

using namespace arenite;
using support::pattern;

namespace {

std::uint64_t the_time = 0;

class program final : public support::driver {
public:
    program(ordered_heap& heap, page_resource& pages) : heap_{heap}, pages_{pages} {}

private:
    void end() override {
        for (group& g : groups_)
            thin(g, [](std::size_t) { return false; });
        if (heap_.usage().bytes_in_use != 0 || heap_.usage().live_allocations != 0)
            wrong("in use when nothing lives");
        heap_.trim();
        if (heap_.usage().bytes_reserved != 0)
            wrong("memory is held by a trimmed heap");
    }

    /// Objects of one size.
    struct group {
        std::size_t bytes = 0;
        std::size_t alignment = 8;
        std::vector<void*> objects;
    };
    static constexpr std::size_t most_bytes = std::size_t{24} << 20;
    static constexpr std::size_t most_objects = 40'000;

    group& some() { return groups_[byte() % std::size(groups_)]; }

    void one(support::decisions&) override {
        const std::uint8_t what = byte();
        if (what < 70)
            return fill(some(), some_bytes(), byte() * std::size_t{1 + byte() / 4u});
        if (what < 90) { // so that it fits into the slots of others
            const std::size_t bytes = some().bytes * (2 + byte() % 14u);
            return fill(some(), bytes, byte() * std::size_t{8});
        }
        if (what < 110) { // one of so many stays
            const std::size_t n = 2 + byte() % 40u;
            return thin(some(), [n](std::size_t i) { return i % n == 0; });
        }
        if (what < 130) { // runs of free slots
            const std::size_t run = 1 + byte() % 20u;
            const std::size_t kept = 1 + byte() % 3u;
            return thin(some(), [=](std::size_t i) { return i % (run + kept) < kept; });
        }
        if (what < 150)
            return thin(some(), [](std::size_t) { return false; });
        if (what < 160)
            return thin_later(some(), 1 + byte() % 5u);
        if (what < 180)
            return resize(some());
        if (what < 190)
            return heap_.trim();
        if (what < 205)
            return idle();
        if (what < 207)
            return reset();
        if (what < 208)
            return heap_.set_block_bytes(std::size_t{1} << (15 + byte() % 8));
        if (what < 235)
            return misuse(some());
        look();
    }

    std::size_t some_bytes() {
        const std::uint8_t kind = byte();
        return kind < 180   ? byte()
               : kind < 230 ? below(4096)
               : kind < 250 ? below(70'000)
                            : below(2 << 20);
    }

    static std::size_t seen(std::size_t bytes) { return std::min<std::size_t>(bytes, 40); }
    void check(const void* p, std::size_t bytes) {
        if (!pattern{address_of(p) ^ bytes}.holds(p, seen(bytes)))
            wrong("an object was overwritten");
    }

    /// The size is for a group that is empty; others have theirs.
    void fill(group& g, std::size_t bytes, std::size_t count) {
        if (g.objects.empty()) {
            g.bytes = bytes;
            g.alignment = std::size_t{1} << byte() % 8;
        }
        for (; count != 0 && count_ < most_objects && sum_ + g.bytes <= most_bytes; --count) {
            void* const p = heap_.try_allocate(g.bytes, g.alignment);
            if (p == nullptr || !is_aligned(p, g.alignment) || !heap_.owns(p))
                wrong("no memory, not aligned, or of another heap");
            pattern{address_of(p) ^ g.bytes}.write(p, seen(g.bytes));
            g.objects.push_back(p);
            sum_ += g.bytes;
            ++count_;
        }
    }
    void forget(const group& g, std::size_t count) {
        sum_ -= g.bytes * count;
        count_ -= count;
    }
    template <class Keep>
    void thin(group& g, Keep keep) {
        std::vector<void*> kept;
        for (std::size_t i = 0; i < g.objects.size(); ++i) {
            void* const p = g.objects[i];
            check(p, g.bytes);
            if (keep(i))
                kept.push_back(p);
            else if (heap_.keeps_sizes() && i % 2 == 0)
                heap_.deallocate(p);
            else
                heap_.deallocate(p, g.bytes, g.alignment);
        }
        forget(g, g.objects.size() - kept.size());
        g.objects.swap(kept);
    }
    /// One of n is freed, in a scope in which frees wait.
    void thin_later(group& g, std::size_t n) {
        std::vector<void*> kept;
        {
            deferred_frees later{heap_};
            for (std::size_t i = 0; i < g.objects.size(); ++i) {
                check(g.objects[i], g.bytes);
                if (i % n != 0)
                    kept.push_back(g.objects[i]);
                else
                    later.deallocate(g.objects[i], g.bytes, g.alignment);
            }
        }
        forget(g, g.objects.size() - kept.size());
        g.objects.swap(kept);
    }
    /// In place, and back: to another size of the same slot, as a rule.
    void resize(group& g) {
        const std::size_t bytes = below(2 * g.bytes + 16);
        for (std::size_t i = byte(); i < g.objects.size(); i += 61) {
            void* const p = g.objects[i];
            if (bytes == 0 || !heap_.try_resize(p, g.bytes, bytes, g.alignment))
                continue;
            if (heap_.try_resize(p, bytes, g.bytes, g.alignment)) {
                pattern{address_of(p) ^ g.bytes}.write(p, seen(g.bytes));
                continue;
            }
            heap_.deallocate(p, bytes, g.alignment); // the rest has another owner now
            g.objects[i] = g.objects.back();
            g.objects.pop_back();
            forget(g, 1);
        }
    }
    void reset() {
        heap_.reset();
        for (group& g : groups_)
            g.objects.clear();
        sum_ = count_ = 0;
        if (heap_.usage().bytes_in_use != 0)
            wrong("in use after a reset");
    }
    /// Some seconds with little use.
    void idle() {
        for (int n = byte() % 64; n != 0; --n) {
            the_time += 100;
            pages_.give_back_due();
            heap_.deallocate(heap_.allocate(9'000, 8), 9'000, 8);
        }
    }

    void misuse(group& g) {
        const std::uint8_t what = byte() % 6;
        if (passthrough())
            return;
        if (what == 0) {
            static char foreign[64];
            expect_found([&] { heap_.deallocate(foreign + 16, 16, 8); });
        }
        if (g.objects.empty())
            return;
        void* const p = g.objects.back();
        if (what == 1) {
            g.objects.pop_back();
            forget(g, 1);
            heap_.deallocate(p, g.bytes, g.alignment);
            expect_found([&] { heap_.deallocate(p, g.bytes, g.alignment); });
        } else if (what == 2 && g.bytes > 8192) {
            expect_found([&] { heap_.deallocate(p, 2 * g.bytes + 5'000, g.alignment); });
        } else if (what == 3 && heap_.keeps_sizes()) {
            g.objects.pop_back();
            forget(g, 1);
            heap_.deallocate(p);
            expect_found([&] { static_cast<void>(heap_.size_of(p)); });
            expect_found([&] { heap_.deallocate(p); });
        } else if (what == 4 && heap_.keeps_sizes()) {
            if (heap_.size_of(p) < g.bytes)
                wrong("an object has less than it was allocated with");
        } else if (what == 5 && checks_enabled && g.bytes > 32 && g.alignment <= 16) {
            expect_found([&] { heap_.deallocate(static_cast<char*>(p) + 16, g.bytes, 8); });
        }
        check_all(g);
    }
    void check_all(const group& g) {
        for (const void* p : g.objects)
            check(p, g.bytes);
    }
    void look() {
        const usage u = heap_.usage();
        if (u.bytes_in_use < sum_ || u.bytes_in_use > u.bytes_reserved ||
            u.live_allocations != count_)
            wrong("usage tells of something else than there is");
        const memory_map map{heap_};
        if (map.overlapping() != 0 || map.totals().bytes(region_state::used) < sum_)
            wrong("regions overlap, or are smaller than what lives");
        const std::size_t bytes = some_bytes();
        if (ordered_heap::good_bytes(bytes, 8) < bytes)
            wrong("good_bytes is less than what was asked for");
        if (heap_.try_allocate(~std::size_t{0} - bytes, 8) != nullptr)
            wrong("all of memory is handed out");
        for (const group& g : groups_)
            check_all(g);
    }

    ordered_heap& heap_;
    page_resource& pages_;
    group groups_[6];
    std::size_t sum_ = 0;
    std::size_t count_ = 0;
};

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    page_resource pages{{.huge = huge_pages::never, .now_ms = []() noexcept { return the_time; }}};
    ordered_options options{.sizes = shape % 2 != 0 ? sizes::kept : sizes::given};
    if (shape / 2 % 4 == 1)
        options.policy = return_policy::retain_all;
    else if (shape / 2 % 4 == 2)
        options.policy = return_policy::return_all;
    options.eager = shape / 8 % 4 == 1;
    if (second % 4 == 1)
        options.block_bytes = std::size_t{1} << (16 + second / 4 % 6);
    ordered_heap heap{options, &pages};
    return program{heap, pages}.run(source);
}
