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

#include "support/driver.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace arenite;
using support::live_piece;

namespace {

template <class R>
class program final : public support::memory_driver {
public:
    explicit program(R& r) : resource_{r} {}

private:
    void end() override {
        while (some_live())
            free_at(live_.size() - 1);
        if (resource_.usage().bytes_in_use != 0)
            wrong("in use when nothing lives");
        resource_.trim();
        if constexpr (requires { resource_.remove_region(added_[0]); })
            for (std::vector<std::byte>& x : added_)
                if (!x.empty() && !resource_.remove_region(x))
                    wrong("an empty region is not removed");
    }

    void one(support::decisions&) override {
        const std::uint8_t what = byte();
        if (what < 110)
            return allocate();
        if (what < 170)
            return free_at(below(live_.size()));
        if (what < 190)
            return resize(below(live_.size()));
        if (what < 225)
            return misuse();
        if (what < 235)
            return resource_.trim();
        if constexpr (requires { resource_.remove_region(added_[0]); })
            if (what < 250)
                return change_regions(added_[byte() % std::size(added_)]);
        look();
    }

    void allocate() {
        const std::size_t bytes = byte() < 220 ? byte() : below(5'000);
        const std::size_t alignment = std::size_t{1} << (bytes % 8 == 0 ? byte() % 12 : 3);
        void* const p = resource_.try_allocate(bytes, alignment);
        if (p == nullptr)
            return;
        if (!resource_.owns(p))
            wrong("it does not own what it handed out");
        add(p, bytes, alignment);
    }
    void free_at(std::size_t i) {
        if (i >= live_.size())
            return;
        const live_piece x = take(i);
        if (resource_.keeps_sizes() && x.bytes % 2 == 0)
            resource_.deallocate(x.p);
        else
            resource_.deallocate(x.p, x.bytes, x.alignment);
    }
    void resize(std::size_t i) {
        if (i >= live_.size())
            return;
        const live_piece& x = live_[i];
        const std::size_t bytes = 1 + below(3000);
        if (resource_.try_resize(x.p, x.bytes, bytes, x.alignment))
            resized(i, bytes);
    }

    void misuse() {
        if (passthrough())
            return;
        const std::uint8_t what = byte() % 7;
        static char foreign[64];
        if (what == 0) {
            expect_found([&] { resource_.deallocate(foreign + 16, 16, 8); });
            if (resource_.owns(foreign) || resource_.try_resize(foreign, 16, 32, 8))
                wrong("it owns what it does not");
        }
        if (live_.empty())
            return;
        const std::size_t i = below(live_.size());
        const live_piece o = live_[i];
        std::byte* const p = o.p;
        if (what == 1) {
            free_at(i);
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
                wrong("an object has less than it was allocated with");
            free_at(i);
            expect_found([&] { resource_.deallocate(p); });
        }
        look();
    }

    void look() {
        check_all();
        check_usage(resource_.usage());
        if (resource_.usage().live_allocations != live_.size())
            wrong("it counts other allocations than there are");
        if constexpr (requires { resource_.fragmentation(); })
            if (resource_.fragmentation() < 0 || resource_.fragmentation() > 1)
                wrong("fragmentation is no share");
    }

    /// Added, or removed if nothing lives in it.
    void change_regions(std::vector<std::byte>& memory) {
        if (memory.empty()) {
            memory.resize(byte() * std::size_t{64});
            if (!resource_.add_region(memory))
                memory.clear();
            return;
        }
        const bool lives = live_.any_in(memory.data(), memory.size());
        if (resource_.add_region(memory) || resource_.remove_region({memory.data(), 1}))
            wrong("a region is there twice, or less of it is");
        if (resource_.remove_region(memory) == lives)
            wrong(lives ? "a region is removed in which something lives" : "it is not removed");
        if (!lives)
            memory = {};
    }

    R& resource_;
    std::vector<std::byte> added_[3];
};

/// Whatever is asked for within a load, in whatever order, is served.
class load_program final : public support::memory_driver {
public:
    load_program(const tlsf_load& load, sizes kept)
        : load_{load}, buffer_(tlsf_resource::bytes_needed(load, kept)),
          resource_{std::span{buffer_}, {.sizes = kept, .grow = false}} {
        if (tlsf_resource::bytes_needed({.bytes = std::numeric_limits<std::size_t>::max(),
                                         .allocations = load.allocations,
                                         .largest_bytes = load.largest_bytes},
                                        kept) != std::numeric_limits<std::size_t>::max())
            wrong("what cannot be needed is");
    }

private:
    void one(support::decisions&) override {
        if (byte() < 100 && !live_.empty())
            return free_at(below(live_.size()));
        const std::size_t bytes = below(load_.largest_bytes + 1);
        if (live_.size() == load_.allocations || counted_ + counted(bytes) > load_.bytes)
            return;
        add(resource_.try_allocate(bytes, load_.largest_alignment), bytes, load_.largest_alignment);
        counted_ += counted(bytes);
    }
    void end() override {
        while (some_live())
            free_at(live_.size() - 1);
    }
    void free_at(std::size_t i) {
        const live_piece x = take(i);
        resource_.deallocate(x.p, x.bytes);
        counted_ -= counted(x.bytes);
    }
    static std::size_t counted(std::size_t n) { return std::max<std::size_t>(n, 1); }

    tlsf_load load_;
    std::vector<std::byte> buffer_;
    tlsf_resource resource_;
    std::size_t counted_ = 0;
};

std::string within_a_load(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::size_t bytes = below(source, 60'000), allocations = source.byte();
    return load_program{{.bytes = bytes,
                         .allocations = allocations,
                         .largest_bytes = below(source, 4'000),
                         .largest_alignment = std::size_t{1} << shape / 2 % 8},
                        shape % 2 == 0 ? sizes::given : sizes::kept}
        .run(source);
}

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const sizes kept = shape / 4 % 2 == 0 ? sizes::given : sizes::kept;
    const std::size_t bytes = std::size_t{2048} << shape / 32;
    switch (shape % 4) {
    case 0: {
        tlsf_resource r{bytes, {.sizes = kept, .grow = shape / 8 % 2 == 0}, &system_resource()};
        return program{r}.run(source);
    }
    case 1: {
        std::vector<std::byte> buffer(bytes);
        free_list_resource r{std::span{buffer}, {.fit = fit::best, .sizes = kept}};
        return program{r}.run(source);
    }
    case 2: {
        free_list_resource r{
            bytes,
            {.sizes = kept, .eager = shape / 8 % 2 == 0, .prefault = shape / 16 % 2 == 0},
            &system_resource()};
        return program{r}.run(source);
    }
    default:
        return within_a_load(source);
    }
}
