// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of three threads on several affinities and shared heaps beside a list of the
// live objects: strategies change, memory is freed by its address alone, heaps are reset, and
// misuse is found and changes nothing. One thread works at a time.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/helper_thread.hpp"
#include "support/misuse.hpp"
#include "support/pattern.hpp"
#include "support/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

using namespace arenite;
using support::below;
using support::byte_source;
using support::helper_thread;
using support::pattern;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "affinities: %s\n", what);
    std::abort();
}

struct nodes {
    static constexpr std::string_view name = "nodes";
};
struct vertices {
    static constexpr std::string_view name = "vertices";
    static constexpr std::size_t alignment = 32;
};

class program {
public:
    explicit program(byte_source source) : source_{source} {}

    void run() {
        while (source_.more()) {
            const std::size_t thread = source_.byte() % 3;
            const std::function<void()> work = [this] { one(); };
            thread == 0 ? work() : helpers_[thread - 1].run(work);
            if (to_end_ != nullptr)
                to_end_->end();
            to_end_ = nullptr;
        }
        set_strategy(0);
        while (!live_.empty())
            free_at(live_.size() - 1, source_.byte());
        helpers_[0].end();
        helpers_[1].end();
        affinity_heap::trim_all();
        for (affinity_heap* const h : affinities_)
            if (h->usage().bytes_in_use != 0 || h->usage().bytes_reserved != 0)
                fail("an affinity of which nothing lives has memory");
    }

private:
    struct piece {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
        affinity_heap* affinity; ///< or
        shared_heap* shared;
        bool ordered; ///< by the ordered strategy
    };

    void one() {
        const std::uint8_t what = source_.byte();
        if (what < 110)
            return allocate();
        if (what < 180)
            return free_at(below(source_, live_.size()), source_.byte());
        if (what < 195) { // many
            const std::size_t at = below(source_, live_.size());
            for (std::size_t n = source_.byte(); n != 0 && at < live_.size(); --n)
                free_at(at, static_cast<std::uint8_t>(n));
            return;
        }
        if (what < 202)
            return set_strategy(source_.byte() % 5);
        if (what < 212)
            return resize(below(source_, live_.size()));
        if (what < 216)
            return static_cast<void>(what % 2 == 0 ? affinity_heap::trim_all()
                                                   : some_affinity()->trim());
        if (what < 218)
            return static_cast<void>(affinity_heap::give_back_due());
        if (what < 221) {
            to_end_ = &helpers_[what % 2]; // by the first thread, when none of them works
            return;
        }
        if (what < 225)
            return end_shared(what < 223);
        if (what < 245)
            return misuse(below(source_, live_.size()));
        look();
    }

    affinity_heap* some_affinity() { return affinities_[source_.byte() % 4]; }

    void allocate() {
        const std::uint8_t kind = source_.byte();
        const std::size_t bytes = kind < 190   ? source_.byte()
                                  : kind < 240 ? below(source_, 5'000)
                                               : below(source_, 400'000);
        const std::size_t alignment = std::size_t{1} << (kind % 16 == 0 ? source_.byte() % 13 : 3);
        const std::uint8_t which = source_.byte();
        for (std::size_t n = which < 230 ? 1 : 8 * source_.byte(); n != 0; --n) {
            if (sum_ > std::size_t{16} << 20 || live_.size() > 10'000)
                return;
            piece x{nullptr, bytes, alignment, nullptr, nullptr, strategy_ == 0};
            if (which % 8 == 7) {
                x.shared = shared_.get();
                x.p = shared_->try_allocate(bytes, alignment);
                x.ordered = true;
            } else if (which % 8 == 6) {
                x.affinity = &affinity_heap::of<nodes>();
                x.p = affinity_heap::try_allocate_in<nodes>(bytes, alignment);
            } else {
                x.affinity = affinities_[which % 4];
                x.p = x.affinity->try_allocate(bytes, alignment);
            }
            if (x.p == nullptr || !is_aligned(x.p, alignment))
                fail("no memory, or not aligned");
            add(x);
        }
    }
    void add(const piece& x) {
        pattern{address_of(x.p)}.write(x.p, seen(x.bytes));
        live_.push_back(x);
        sum_ += x.bytes;
    }
    piece take(std::size_t at) {
        const piece x = live_[at];
        check(x);
        live_[at] = live_.back();
        live_.pop_back();
        sum_ -= x.bytes;
        return x;
    }
    void free_at(std::size_t at, std::uint8_t way) {
        if (at >= live_.size())
            return;
        const piece x = take(at);
        if (x.shared != nullptr)
            return way % 2 == 0 ? x.shared->deallocate(x.p)
                                : x.shared->deallocate(x.p, x.bytes, x.alignment);
        switch (way % 6) {
        case 0:
            return affinity_heap::deallocate_any(x.p);
        case 1:
            return affinity_heap::deallocate_any(x.p, x.bytes, x.alignment);
        case 2:
            if (!affinity_heap::try_deallocate_own(x.p))
                x.affinity->deallocate(x.p);
            return;
        case 3:
            if (x.affinity == &affinity_heap::of<nodes>())
                return affinity_heap::deallocate_in<nodes>(x.p, x.bytes, x.alignment);
            [[fallthrough]];
        case 4:
            return x.affinity->deallocate(x.p, x.bytes, x.alignment);
        default:
            return x.affinity->deallocate(x.p);
        }
    }

    void set_strategy(unsigned n) {
        constexpr affinity_strategy all[]{affinity_strategy::ordered, affinity_strategy::intrusive,
                                          affinity_strategy::slots, affinity_strategy::standard};
        strategy_ = n;
        if (n < std::size(all))
            use_affinity_strategy(all[n]);
        else
            use_affinity_strategy(upstream{&system_resource()});
        if (affinity_strategy_name().empty())
            fail("a strategy has no name");
    }
    void resize(std::size_t at) {
        if (at >= live_.size())
            return;
        piece& x = live_[at];
        check(x);
        const std::size_t bytes = 1 + below(source_, 2 * x.bytes + 100);
        const bool done = x.shared != nullptr
                              ? x.shared->try_resize(x.p, x.bytes, bytes, x.alignment)
                              : x.affinity->try_resize(x.p, x.bytes, bytes, x.alignment);
        if (!done)
            return;
        sum_ += bytes - x.bytes;
        x.bytes = bytes;
        pattern{address_of(x.p)}.write(x.p, seen(bytes));
    }
    /// Reset, or another one.
    void end_shared(bool reset) {
        std::erase_if(live_, [this](const piece& x) {
            sum_ -= x.shared != nullptr ? x.bytes : 0;
            return x.shared != nullptr;
        });
        if (reset)
            shared_->reset();
        else
            shared_ = std::make_unique<shared_heap>(
                shared_heap_options{.name = source_.byte() % 2 == 0 ? "" : "of a program"});
        if (shared_->usage().bytes_in_use != 0)
            fail("in use after a reset");
    }

    void misuse(std::size_t at) {
        if (strategy_ != 0 || passthrough()) // who frees for malloc must not be given nonsense
            return;
        static char foreign[64];
        const std::uint8_t what = source_.byte() % 5;
        if (what == 0) {
            expect_found([&] { affinities_[1]->deallocate(foreign + 16, 16, 8); });
            expect_found([&] { affinity_heap::deallocate_any(foreign + 16); });
            expect_found([&] { static_cast<void>(affinities_[1]->size_of(foreign + 16)); });
        }
        if (at >= live_.size() || !live_[at].ordered || live_[at].shared != nullptr)
            return;
        const piece x = live_[at];
        if (what == 1) { // of another affinity
            affinity_heap* const other = affinities_[x.affinity == affinities_[1] ? 2 : 1];
            expect_found([&] { other->deallocate(x.p, x.bytes, x.alignment); });
            expect_found([&] { shared_->deallocate(x.p, x.bytes, x.alignment); });
        } else if (what == 2 && x.bytes < 1500 && x.alignment <= 16) {
            take(at);
            if (affinity_heap::try_deallocate_own(x.p)) {
                expect_found([&] { x.affinity->deallocate(x.p, x.bytes, x.alignment); });
            } else { // of another thread
                x.affinity->deallocate(x.p, x.bytes, x.alignment);
            }
        }
        if (what != 2)
            check(x);
    }
    template <class F>
    static void expect_found(F f) {
        if (!support::is_misuse(f))
            fail("misuse is not found");
    }

    static std::size_t seen(std::size_t bytes) { return std::min<std::size_t>(bytes, 40); }
    static void check(const piece& x) {
        if (!pattern{address_of(x.p)}.holds(x.p, seen(x.bytes)))
            fail("an object was overwritten");
    }

    void look() {
        std::ostringstream text;
        affinity_heap::report_all(text);
        some_affinity()->report(text);
        some_affinity()->report_json(text);
        shared_->report_json(text);
        if (text.str().empty())
            fail("a report is empty");
        std::size_t of_affinities = 0, of_shared = 0;
        for (const piece& x : live_) {
            check(x);
            if (x.shared != nullptr) {
                of_shared += x.bytes;
                if (!x.shared->owns(x.p))
                    fail("a shared heap does not own what it handed out");
                continue;
            }
            of_affinities += x.bytes;
            if (affinity_heap::heap_of(x.p) != x.affinity || x.affinity->size_of(x.p) < x.bytes)
                fail("an affinity does not know what it handed out");
        }
        if (affinity_heap::usage_all().bytes_in_use < of_affinities ||
            shared_->usage().bytes_in_use < of_shared)
            fail("usage tells of less than there is");
        if (affinity_heap::find("nodes") != &affinity_heap::of<nodes>() ||
            affinity_heap::count() != affinity_heap::all().size() ||
            &affinity_heap::by_index(0) != &affinity_heap::all()[0])
            fail("an affinity is not found");
        memory_map map;
        affinity_heap::list_regions_all(map);
        if (map.overlapping() != 0)
            fail("regions overlap");
    }

    byte_source source_;
    affinity_heap* affinities_[4]{&affinity_heap::of<nodes>(), &affinity_heap::of<vertices>(),
                                  &affinity_heap::named("by name"),
                                  &affinity_heap::named("sizes kept", {.sizes = sizes::kept})};
    std::unique_ptr<shared_heap> shared_ = std::make_unique<shared_heap>();
    std::vector<piece> live_;
    std::size_t sum_ = 0;
    unsigned strategy_ = 0;
    helper_thread helpers_[2];
    helper_thread* to_end_ = nullptr;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    program{byte_source{data, size}}.run();
    return 0;
}
