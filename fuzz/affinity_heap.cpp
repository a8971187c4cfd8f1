// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of three threads on a shared_heap or an affinity beside a map of what is alive.
// One thread works at a time, so that a program does the same each time; an object may be of
// another thread's heap all the same. The first byte chooses the heap, whether sizes are kept,
// and the return policy.

#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/helper_thread.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using namespace arenite;
using support::live_piece;

namespace {

template <class Heap>
class program final : public support::memory_driver {
public:
    explicit program(Heap& heap) : memory_driver{64}, heap_{heap} {}

private:
    void one(support::decisions&) override {
        threads_.on(byte(), [this] { work(); });
    }
    void end() override {
        while (some_live())
            free_at(live_.size() - 1);
        if (heap_.usage().bytes_in_use != 0 || heap_.usage().live_allocations != 0)
            wrong("in use when nothing lives");
        threads_.end();
        heap_.trim();
        if (heap_.usage().bytes_reserved != 0)
            wrong("memory is held by a trimmed heap");
    }

    void work() {
        const std::uint8_t what = byte();
        if (what < 90)
            return allocate(below(300), std::size_t{1} << byte() % 5, 1);
        if (what < 110)
            return allocate(below(300'000), std::size_t{1} << byte() % 14, 1);
        if (what < 125) // many of one size
            return allocate(1 + below(2'100), 8, byte() * std::size_t{8});
        if (what < 200)
            return free_at(below(live_.size()));
        if (what < 215) { // many, from a place on
            const std::size_t at = below(live_.size());
            for (std::size_t n = byte() * std::size_t{8}; n != 0 && at < live_.size(); --n)
                free_at(at);
            return;
        }
        if (what < 225) {
            const std::size_t at = below(live_.size());
            return resize(at, 1 + below(70'000));
        }
        if (what < 232)
            return look();
        if (what < 240)
            return static_cast<void>(heap_.trim());
        if (what < 244)
            return threads_.end_after_this(what);
        if (what < 250 && !live_.empty()) {
            if constexpr (requires { heap_.near(nullptr); }) {
                const live_piece& x = live_[below(live_.size())];
                const std::size_t bytes = below(300);
                add(heap_.near(x.p).try_allocate(bytes, 8), bytes, 8);
            }
        }
    }

    void allocate(std::size_t bytes, std::size_t alignment, std::size_t count) {
        for (; count != 0 && right(); --count) {
            if (live_.size() >= 20'000 || live_.bytes() >= std::size_t{16} << 20)
                return;
            add(heap_.try_allocate(bytes, alignment), bytes, alignment);
        }
    }
    void free_at(std::size_t at) {
        if (at >= live_.size())
            return;
        const live_piece x = take(at);
        if (byte() % 2 == 0)
            heap_.deallocate(x.p);
        else
            heap_.deallocate(x.p, x.bytes, x.alignment);
    }
    void resize(std::size_t at, std::size_t bytes) {
        if (at >= live_.size())
            return;
        const live_piece& x = live_[at];
        if (heap_.size_of(x.p) < x.bytes || !heap_.owns(x.p))
            wrong("it does not know what it handed out");
        if (heap_.try_resize(x.p, x.bytes, bytes, x.alignment))
            resized(at, bytes);
    }
    void look() {
        check_usage(heap_.usage());
        if (memory_map{heap_}.overlapping() != 0)
            wrong("regions overlap");
        std::ostringstream text;
        heap_.report(text);
        check_all();
    }

    Heap& heap_;
    support::three_threads threads_;
};

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const sizes kept = shape % 2 == 0 ? sizes::given : sizes::kept;
    if (shape / 4 % 2 != 0)
        return program{
            affinity_heap::named(shape % 2 == 0 ? "fuzzed" : "fuzzed, sizes kept", {.sizes = kept})}
            .run(source);
    shared_heap heap{{.sizes = kept,
                      .policy = shape / 2 % 2 == 0 ? return_policy{} : return_policy::return_all}};
    return program{heap}.run(source);
}
