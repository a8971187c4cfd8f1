// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a tlsf_resource or a free_list_resource beside a map of what is alive, with
// misuse of every kind, which is found at the call and changes nothing; and loads, which a region
// of bytes_needed() serves in any order. The first byte chooses the resource and its options.

#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include "support/misuse.hpp"
#include "support/pattern.hpp"
#include "support/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <vector>

using namespace arenite;
using support::below;
using support::byte_source;
using support::pattern;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "free lists: %s\n", what);
    std::abort();
}

template <class F>
void expect_found(F f) {
    if (!support::is_misuse(f))
        fail("misuse is not found");
}

template <class R>
class program {
public:
    program(R& r, byte_source source) : resource_{r}, source_{source} {}

    void run() {
        while (source_.more())
            one();
        while (!live_.empty())
            free_at(live_.begin());
        if (resource_.usage().bytes_in_use != 0)
            fail("in use when nothing lives");
        resource_.trim();
        if constexpr (requires { resource_.remove_region(added_[0]); })
            for (std::vector<std::byte>& x : added_)
                if (!x.empty() && !resource_.remove_region(x))
                    fail("an empty region is not removed");
    }

private:
    struct piece {
        std::size_t bytes;
        std::size_t alignment;
        std::uint64_t id;
    };
    using pieces = std::map<std::uintptr_t, piece>;

    void one() {
        const std::uint8_t what = source_.byte();
        if (what < 110)
            return allocate();
        if (what < 170)
            return live_.empty() ? void() : free_at(some());
        if (what < 190)
            return live_.empty() ? void() : resize(some());
        if (what < 225)
            return misuse();
        if (what < 235)
            return resource_.trim();
        if constexpr (requires { resource_.remove_region(added_[0]); })
            if (what < 250)
                return change_regions(added_[source_.byte() % std::size(added_)]);
        check_all();
    }

    static void* at(pieces::iterator x) { return reinterpret_cast<void*>(x->first); } // NOLINT
    pieces::iterator some() {
        return std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(source_, live_.size())));
    }

    void allocate() {
        const std::size_t bytes = source_.byte() < 220 ? source_.byte() : below(source_, 5'000);
        const std::size_t alignment = std::size_t{1} << (bytes % 8 == 0 ? source_.byte() % 12 : 3);
        void* const p = resource_.try_allocate(bytes, alignment);
        if (p == nullptr)
            return;
        if (!is_aligned(p, alignment) || !resource_.owns(p))
            fail("not aligned, or not its own");
        const auto [x, fresh] = live_.emplace(address_of(p), piece{bytes, alignment, ++next_id_});
        if (!fresh || (std::next(x) != live_.end() && x->first + bytes > std::next(x)->first) ||
            (x != live_.begin() && std::prev(x)->first + std::prev(x)->second.bytes > x->first))
            fail("it overlaps another");
        pattern{next_id_}.write(p, bytes);
    }
    void check(pieces::iterator x) {
        if (!pattern{x->second.id}.holds(at(x), x->second.bytes))
            fail("an object was overwritten");
    }
    void free_at(pieces::iterator x) {
        check(x);
        if (resource_.keeps_sizes() && x->second.bytes % 2 == 0)
            resource_.deallocate(at(x));
        else
            resource_.deallocate(at(x), x->second.bytes, x->second.alignment);
        live_.erase(x);
    }
    void resize(pieces::iterator x) {
        const std::size_t bytes = 1 + below(source_, 3000);
        check(x);
        if (!resource_.try_resize(at(x), x->second.bytes, bytes, x->second.alignment))
            return;
        if (std::next(x) != live_.end() && x->first + bytes > std::next(x)->first)
            fail("it grew into the next");
        x->second.bytes = bytes;
        pattern{x->second.id}.write(at(x), bytes);
    }

    void misuse() {
        if (passthrough())
            return;
        const std::uint8_t what = source_.byte() % 7;
        static char foreign[64];
        if (what == 0) {
            expect_found([&] { resource_.deallocate(foreign + 16, 16, 8); });
            if (resource_.owns(foreign) || resource_.try_resize(foreign, 16, 32, 8))
                fail("it owns what it does not");
        }
        if (live_.empty())
            return;
        const auto x = some();
        char* const p = static_cast<char*>(at(x));
        const piece o = x->second;
        if (what == 1) {
            free_at(x);
            expect_found([&] { resource_.deallocate(p, o.bytes, o.alignment); });
        } else if (what == 2 && o.bytes > 16) {
            expect_found([&] { resource_.deallocate(p + 16, o.bytes - 16, 8); });
        } else if (what == 3) { // a size that ends within something else
            expect_found([&] { resource_.deallocate(p, o.bytes + (1 << 20), o.alignment); });
        } else if (what == 4 && resource_.keeps_sizes()) {
            expect_found([&] { resource_.deallocate(p, o.bytes + 48, o.alignment); });
            if (o.bytes > 16)
                expect_found([&] { static_cast<void>(resource_.size_of(p + 16)); });
        } else if (what == 5 && !resource_.keeps_sizes()) {
            expect_found([&] { resource_.deallocate(p); });
            expect_found([&] { static_cast<void>(resource_.size_of(p)); });
        } else if (what == 6 && resource_.keeps_sizes()) {
            if (resource_.size_of(p) < o.bytes)
                fail("an object has less than it was allocated with");
            free_at(x);
            expect_found([&] { resource_.deallocate(p); });
        }
        check_all();
    }

    void check_all() {
        std::size_t sum = 0;
        for (auto x = live_.begin(); x != live_.end(); ++x) {
            check(x);
            sum += x->second.bytes;
        }
        const usage u = resource_.usage();
        if (u.bytes_in_use < sum || u.live_allocations != live_.size())
            fail("usage tells of something else than there is");
        if constexpr (requires { resource_.fragmentation(); })
            if (resource_.fragmentation() < 0 || resource_.fragmentation() > 1)
                fail("fragmentation is no share");
    }

    /// Added, or removed if nothing lives in it.
    void change_regions(std::vector<std::byte>& memory) {
        if (memory.empty()) {
            memory.resize(source_.byte() * std::size_t{64});
            if (!resource_.add_region(memory))
                memory.clear();
            return;
        }
        const auto begin = address_of(memory.data());
        const auto first = live_.lower_bound(begin);
        const bool lives = first != live_.end() && first->first < begin + memory.size();
        if (resource_.add_region(memory) || resource_.remove_region({memory.data(), 1}))
            fail("a region is there twice, or less of it is");
        if (resource_.remove_region(memory) == lives)
            fail(lives ? "a region is removed in which something lives" : "it is not removed");
        if (!lives)
            memory = {};
    }

    R& resource_;
    byte_source source_;
    pieces live_;
    std::vector<std::byte> added_[3];
    std::uint64_t next_id_ = 0;
};

/// Whatever is asked for within a load, in whatever order, is served.
void within_a_load(byte_source source) {
    const std::uint8_t shape = source.byte();
    const sizes kept = shape % 2 == 0 ? sizes::given : sizes::kept;
    const tlsf_load load{.bytes = below(source, 60'000),
                         .allocations = source.byte(),
                         .largest_bytes = below(source, 4'000),
                         .largest_alignment = std::size_t{1} << shape / 2 % 8};
    if (tlsf_resource::bytes_needed({.bytes = std::numeric_limits<std::size_t>::max(),
                                     .allocations = load.allocations,
                                     .largest_bytes = load.largest_bytes},
                                    kept) != std::numeric_limits<std::size_t>::max())
        fail("what cannot be needed is");
    std::vector<std::byte> buffer(tlsf_resource::bytes_needed(load, kept));
    tlsf_resource r{std::span{buffer}, {.sizes = kept, .grow = false}};
    struct piece {
        void* p;
        std::size_t bytes;
    };
    std::vector<piece> live;
    std::size_t sum = 0;
    const auto counted = [](std::size_t n) { return std::max<std::size_t>(n, 1); };
    const auto free_at = [&](std::size_t i) {
        r.deallocate(live[i].p, live[i].bytes);
        sum -= counted(live[i].bytes);
        live[i] = live.back();
        live.pop_back();
    };
    while (source.more()) {
        if (source.byte() < 100 && !live.empty()) {
            free_at(below(source, live.size()));
            continue;
        }
        const std::size_t bytes = below(source, load.largest_bytes + 1);
        if (live.size() == load.allocations || sum + counted(bytes) > load.bytes)
            continue;
        void* const p = r.try_allocate(bytes, load.largest_alignment);
        if (p == nullptr)
            fail("what is within a load is refused");
        live.push_back({p, bytes});
        sum += counted(bytes);
    }
    while (!live.empty())
        free_at(live.size() - 1);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::uint8_t shape = data[0];
    const byte_source source{data + 1, size - 1};
    const sizes kept = shape / 4 % 2 == 0 ? sizes::given : sizes::kept;
    const std::size_t bytes = std::size_t{2048} << shape / 32;
    switch (shape % 4) {
    case 0: {
        tlsf_resource r{bytes, {.sizes = kept, .grow = shape / 8 % 2 == 0}, &system_resource()};
        program{r, source}.run();
        break;
    }
    case 1: {
        std::vector<std::byte> buffer(bytes);
        free_list_resource r{std::span{buffer}, {.fit = fit::best, .sizes = kept}};
        program{r, source}.run();
        break;
    }
    case 2: {
        free_list_resource r{
            bytes,
            {.sizes = kept, .eager = shape / 8 % 2 == 0, .prefault = shape / 16 % 2 == 0},
            &system_resource()};
        program{r, source}.run();
        break;
    }
    default:
        within_a_load(source);
    }
    return 0;
}
