// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of three threads on a shared_heap or an affinity beside a map of what is alive.
// One thread works at a time, so that a program does the same each time; an object may be of
// another thread's heap all the same. The first byte chooses the heap, whether sizes are kept,
// and the return policy.

#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/helper_thread.hpp"
#include "support/operations.hpp"
#include "support/pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <vector>

using namespace arenite;
using support::below;
using support::byte_source;
using support::helper_thread;
using support::pattern;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

struct piece {
    void* p;
    std::size_t bytes;
    std::size_t alignment;
};

template <class Heap>
class program {
public:
    program(Heap& heap, byte_source source) : heap_{heap}, source_{source} {}

    void run() {
        while (source_.more()) {
            const std::size_t thread = source_.byte() % 3;
            const std::function<void()> work = [this] { one(); };
            thread == 0 ? work() : helpers_[thread - 1].run(work);
            if (to_end_ != nullptr)
                to_end_->end();
            to_end_ = nullptr;
        }
        while (!live_.empty())
            free_at(live_.size() - 1);
        if (heap_.usage().bytes_in_use != 0 || heap_.usage().live_allocations != 0)
            fail("in use when nothing lives");
        helpers_[0].end();
        helpers_[1].end();
        heap_.trim();
        if (heap_.usage().bytes_reserved != 0)
            fail("memory is held by a trimmed heap");
    }

private:
    void one() {
        const std::uint8_t what = source_.byte();
        if (what < 90)
            return allocate(below(source_, 300), std::size_t{1} << source_.byte() % 5, 1);
        if (what < 110)
            return allocate(below(source_, 300'000), std::size_t{1} << source_.byte() % 14, 1);
        if (what < 125) // many of one size
            return allocate(1 + below(source_, 2'100), 8, source_.byte() * std::size_t{8});
        if (what < 200)
            return free_at(below(source_, live_.size()));
        if (what < 215) { // many, from a place on
            const std::size_t at = below(source_, live_.size());
            for (std::size_t n = source_.byte() * std::size_t{8}; n != 0 && at < live_.size(); --n)
                free_at(at);
            return;
        }
        if (what < 225) {
            const std::size_t at = below(source_, live_.size());
            return resize(at, 1 + below(source_, 70'000));
        }
        if (what < 232)
            return look();
        if (what < 240)
            return static_cast<void>(heap_.trim());
        if (what < 244) {
            to_end_ = &helpers_[what % 2]; // by the first thread, when none of them works
            return;
        }
        if (what < 250 && !live_.empty()) {
            if constexpr (requires { heap_.near(nullptr); }) {
                const piece& x = live_[below(source_, live_.size())];
                const std::size_t bytes = below(source_, 300);
                add(heap_.near(x.p).try_allocate(bytes, 8), bytes, 8);
            }
        }
    }

    void allocate(std::size_t bytes, std::size_t alignment, std::size_t count) {
        for (; count != 0 && live_.size() < 20'000 && sum_ < (std::size_t{16} << 20); --count)
            add(heap_.try_allocate(bytes, alignment), bytes, alignment);
    }
    void add(void* p, std::size_t bytes, std::size_t alignment) {
        if (p == nullptr || !is_aligned(p, alignment))
            fail("no memory, or not aligned");
        pattern{address_of(p)}.write(p, seen(bytes));
        live_.push_back({p, bytes, alignment});
        sum_ += bytes;
    }
    void free_at(std::size_t at) {
        if (at >= live_.size())
            return;
        const piece x = live_[at];
        check(x);
        live_[at] = live_.back();
        live_.pop_back();
        sum_ -= x.bytes;
        if (source_.byte() % 2 == 0)
            heap_.deallocate(x.p);
        else
            heap_.deallocate(x.p, x.bytes, x.alignment);
    }
    void resize(std::size_t at, std::size_t bytes) {
        if (at >= live_.size())
            return;
        piece& x = live_[at];
        if (heap_.size_of(x.p) < x.bytes || !heap_.owns(x.p))
            fail("it does not know what it handed out");
        if (!heap_.try_resize(x.p, x.bytes, bytes, x.alignment))
            return;
        sum_ += bytes - x.bytes;
        x.bytes = bytes;
        pattern{address_of(x.p)}.write(x.p, seen(bytes));
    }
    void look() {
        const usage now = heap_.usage();
        if (now.bytes_in_use < sum_ || now.bytes_in_use > now.bytes_reserved ||
            (now.live_allocations != 0 && now.live_allocations != live_.size()))
            fail("usage tells of something else than there is");
        if (memory_map{heap_}.overlapping() != 0)
            fail("regions overlap");
        std::ostringstream text;
        heap_.report(text);
        for (const piece& x : live_)
            check(x);
    }
    void check(const piece& x) {
        if (!pattern{address_of(x.p)}.holds(x.p, seen(x.bytes)))
            fail("an object was overwritten");
    }
    static std::size_t seen(std::size_t bytes) { return bytes < 64 ? bytes : 64; }

    Heap& heap_;
    byte_source source_;
    std::vector<piece> live_;
    std::size_t sum_ = 0;
    helper_thread helpers_[2];
    helper_thread* to_end_ = nullptr;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::uint8_t shape = data[0];
    const byte_source source{data + 1, size - 1};
    const sizes kept = shape % 2 == 0 ? sizes::given : sizes::kept;
    if (shape / 4 % 2 == 0) {
        shared_heap heap{
            {.sizes = kept,
             .policy = shape / 2 % 2 == 0 ? return_policy{} : return_policy::return_all}};
        program{heap, source}.run();
    } else {
        program{
            affinity_heap::named(shape % 2 == 0 ? "fuzzed" : "fuzzed, sizes kept", {.sizes = kept}),
            source}
            .run();
    }
    return 0;
}
