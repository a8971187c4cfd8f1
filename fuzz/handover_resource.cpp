// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of three threads on a handover_resource beside a map of what is alive. One works
// at a time, so that a program does the same each time. The first byte chooses where its
// memory comes from, and how many of those handed over each allocation frees.

#include <arenite/core/alignment.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/helper_thread.hpp"
#include "support/pattern.hpp"
#include "support/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <vector>

using namespace arenite;
using support::below;
using support::byte_source;
using support::helper_thread;
using support::pattern;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "handover_resource: %s\n", what);
    std::abort();
}

class program {
public:
    program(handover_resource& r, byte_source source) : resource_{r}, source_{source} {}

    void run() {
        while (source_.more())
            one();
        while (!live_.empty())
            free_at(live_.begin());
        as_owner([this] {
            resource_.trim();
            if (resource_.usage().bytes_in_use != 0)
                fail("in use when nothing lives");
        });
    }

private:
    struct piece {
        std::size_t bytes;
        std::size_t alignment;
        std::uint64_t id;
    };
    using pieces = std::map<std::uintptr_t, piece>;

    void on(std::size_t thread, const std::function<void()>& work) {
        thread == 0 ? work() : helpers_[thread - 1].run(work);
    }
    void as_owner(const std::function<void()>& work) { on(owner_, work); }

    void one() {
        const std::uint8_t what = source_.byte();
        if (what < 120)
            return allocate();
        if (what < 215)
            return live_.empty() ? void() : free_at(some());
        if (what < 225)
            return live_.empty() ? void() : resize(some());
        if (what < 235) {
            const std::size_t most = source_.byte() % 20;
            as_owner([&] {
                if (resource_.collect(most) > std::min(most, handed_over_))
                    fail("more is collected than was handed over");
            });
            return;
        }
        if (what < 240) // all of it, so that what is handed over is known again
            return as_owner([this] {
                if (resource_.collect(~std::size_t{0}) > handed_over_)
                    fail("more is collected than was handed over");
                handed_over_ = 0;
            });
        if (what < 244) {
            owner_ = source_.byte() % 3;
            return as_owner([this] { resource_.own(); });
        }
        if (what < 248)
            return as_owner([this] {
                resource_.trim();
                handed_over_ = 0;
            });
        as_owner([this] { look(); });
    }

    static void* at(pieces::iterator x) { return reinterpret_cast<void*>(x->first); } // NOLINT

    pieces::iterator some() {
        return std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(source_, live_.size())));
    }

    void allocate() {
        const std::uint8_t kind = source_.byte();
        const std::size_t bytes = kind < 200 ? source_.byte() : below(source_, 20'000);
        const std::size_t alignment = std::size_t{1} << (kind % 8 == 0 ? source_.byte() % 14 : 3);
        void* p = nullptr;
        as_owner([&] {
            p = resource_.try_allocate(bytes, alignment);
            if (!resource_.is_owner())
                fail("who allocates is not the owner");
        });
        if (p == nullptr)
            return;
        if (!is_aligned(p, alignment) || !resource_.owns(p))
            fail("not aligned, or not its own");
        const auto [x, fresh] = live_.emplace(address_of(p), piece{bytes, alignment, ++next_id_});
        if (!fresh || (std::next(x) != live_.end() && x->first + bytes > std::next(x)->first) ||
            (x != live_.begin() && std::prev(x)->first + std::prev(x)->second.bytes > x->first))
            fail("it overlaps another");
        pattern{next_id_}.write(p, bytes);
        sum_ += bytes;
    }
    void check(pieces::iterator x) {
        if (!pattern{x->second.id}.holds(at(x), x->second.bytes))
            fail("an object was overwritten");
    }
    void free_at(pieces::iterator x) {
        check(x);
        const std::size_t thread = source_.byte() % 3;
        on(thread, [&] { resource_.deallocate(at(x), x->second.bytes, x->second.alignment); });
        handed_over_ += thread != owner_ ? 1 : 0;
        sum_ -= x->second.bytes;
        live_.erase(x);
    }
    void resize(pieces::iterator x) {
        const std::size_t bytes = below(source_, 3000);
        const std::size_t before = x->second.bytes;
        check(x);
        bool done = false;
        as_owner([&] { done = resource_.try_resize(at(x), before, bytes, x->second.alignment); });
        if (!done)
            return;
        if (bytes == 0 || (std::next(x) != live_.end() && x->first + bytes > std::next(x)->first))
            fail("it has no bytes now, or grew into the next");
        sum_ += bytes - before;
        x->second.bytes = bytes;
        pattern{x->second.id}.write(at(x), bytes);
    }
    void look() {
        const usage u = resource_.usage();
        if (u.bytes_in_use < sum_ || u.bytes_in_use > u.bytes_reserved ||
            u.live_allocations < live_.size())
            fail("usage tells of something else than there is");
        if (memory_map{resource_}.overlapping() != 0)
            fail("regions overlap");
        for (auto x = live_.begin(); x != live_.end(); ++x)
            check(x);
    }

    handover_resource& resource_;
    byte_source source_;
    pieces live_;
    helper_thread helpers_[2];
    std::size_t owner_ = 0;
    std::size_t handed_over_ = 0; ///< at most; allocations free some of them
    std::size_t sum_ = 0;
    std::uint64_t next_id_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::uint8_t shape = data[0];
    const byte_source source{data + 1, size - 1};
    const handover_options options{.freed_by_each = shape / 2 % 4u,
                                   .freed_before_failing = shape / 8 % 4u * 16};
    const std::size_t bytes = std::size_t{4096} << shape / 32;
    if (shape % 2 == 0) {
        std::vector<std::byte> buffer(bytes);
        handover_resource r{std::span{buffer}, options};
        program{r, source}.run();
    } else {
        handover_resource r{bytes, options, &system_resource()};
        program{r, source}.run();
    }
    return 0;
}
