// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of three threads on a handover_resource beside a map of what is alive. One works
// at a time, so that a program does the same each time. The first byte chooses where its
// memory comes from, and how many of those handed over each allocation frees.

#include <arenite/core/alignment.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/helper_thread.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace arenite;
using support::live_piece;

namespace {

class program final : public support::memory_driver {
public:
    explicit program(handover_resource& r) : resource_{r} {}

private:
    void end() override {
        while (some_live())
            free_at(live_.size() - 1);
        as_owner([this] {
            resource_.trim();
            if (resource_.usage().bytes_in_use != 0)
                wrong("in use when nothing lives");
        });
    }
    void as_owner(const std::function<void()>& work) { threads_.on(owner_, work); }

    void one(support::decisions&) override {
        const std::uint8_t what = byte();
        if (what < 120)
            return allocate();
        if (what < 215)
            return free_at(below(live_.size()));
        if (what < 225)
            return resize(below(live_.size()));
        if (what < 235) {
            const std::size_t most = byte() % 20;
            as_owner([&] {
                if (resource_.collect(most) > std::min(most, handed_over_))
                    wrong("more is collected than was handed over");
            });
            return;
        }
        if (what < 240) // all of it, so that what is handed over is known again
            return as_owner([this] {
                if (resource_.collect(~std::size_t{0}) > handed_over_)
                    wrong("more is collected than was handed over");
                handed_over_ = 0;
            });
        if (what < 244) {
            owner_ = byte() % 3;
            return as_owner([this] { resource_.own(); });
        }
        if (what < 248)
            return as_owner([this] {
                resource_.trim();
                handed_over_ = 0;
            });
        as_owner([this] { look(); });
    }

    void allocate() {
        const std::uint8_t kind = byte();
        const std::size_t bytes = kind < 200 ? byte() : below(20'000);
        const std::size_t alignment = std::size_t{1} << (kind % 8 == 0 ? byte() % 14 : 3);
        void* p = nullptr;
        as_owner([&] {
            p = resource_.try_allocate(bytes, alignment);
            if (!resource_.is_owner())
                wrong("who allocates is not the owner");
        });
        if (p == nullptr)
            return;
        if (!resource_.owns(p))
            wrong("it does not own what it handed out");
        add(p, bytes, alignment);
    }
    void free_at(std::size_t at) {
        if (at >= live_.size())
            return;
        const live_piece x = take(at);
        const std::size_t thread = byte() % 3;
        threads_.on(thread, [&] { resource_.deallocate(x.p, x.bytes, x.alignment); });
        handed_over_ += thread != owner_ ? 1 : 0;
    }
    void resize(std::size_t at) {
        if (at >= live_.size())
            return;
        const live_piece& x = live_[at];
        const std::size_t bytes = below(3000);
        bool done = false;
        as_owner([&] { done = resource_.try_resize(x.p, x.bytes, bytes, x.alignment); });
        if (done)
            resized(at, bytes);
    }
    void look() {
        const usage u = resource_.usage(); // what is handed over counts until it is collected
        if (u.bytes_in_use < live_.bytes() || u.bytes_in_use > u.bytes_reserved ||
            u.live_allocations < live_.size())
            wrong("usage tells of something else than there is");
        if (memory_map{resource_}.overlapping() != 0)
            wrong("regions overlap");
        check_all();
    }

    handover_resource& resource_;
    support::three_threads threads_;
    std::size_t owner_ = 0;
    std::size_t handed_over_ = 0; ///< at most; allocations free some of them
};

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const handover_options options{.freed_by_each = shape / 2 % 4u,
                                   .freed_before_failing = shape / 8 % 4u * 16};
    const std::size_t bytes = std::size_t{4096} << shape / 32;
    if (shape % 2 == 0) {
        std::vector<std::byte> buffer(bytes);
        handover_resource r{std::span{buffer}, options};
        return program{r}.run(source);
    }
    handover_resource r{bytes, options, &system_resource()};
    return program{r}.run(source);
}
