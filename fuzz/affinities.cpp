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
#include <arenite/report/usage_snapshot.hpp>

#include "support/driver.hpp"
#include "support/helper_thread.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

using namespace arenite;
using support::live_piece;

namespace {

struct nodes {
    static constexpr std::string_view name = "nodes";
};
struct vertices {
    static constexpr std::string_view name = "vertices";
    static constexpr std::size_t alignment = 32;
};

class program final : public support::memory_driver {
public:
    program() : memory_driver{40} {}

private:
    /// The note of a piece: an affinity's number or `shared`, and whether the strategy was ordered.
    static constexpr unsigned shared = 4, ordered = 8;
    static bool is_shared(const live_piece& x) { return (x.note & shared) != 0; }
    affinity_heap& affinity_of(const live_piece& x) { return *affinities_[x.note % 4]; }

    void one(support::decisions&) override {
        threads_.on(byte(), [this] { work(); });
    }
    void end() override {
        set_strategy(0);
        while (some_live())
            free_at(live_.size() - 1, byte());
        threads_.end();
        affinity_heap::trim_all();
        for (affinity_heap* const h : affinities_)
            if (h->usage().bytes_in_use != 0 || h->usage().bytes_reserved != 0)
                wrong("an affinity of which nothing lives has memory");
    }

    void work() {
        const std::uint8_t what = byte();
        if (what < 110)
            return allocate();
        if (what < 180)
            return free_at(below(live_.size()), byte());
        if (what < 195) { // many
            const std::size_t at = below(live_.size());
            for (std::size_t n = byte(); n != 0 && at < live_.size(); --n)
                free_at(at, static_cast<std::uint8_t>(n));
            return;
        }
        if (what < 202)
            return set_strategy(byte() % 5);
        if (what < 211)
            return resize(below(live_.size()));
        if (what < 212)
            return some_affinity()->set_block_bytes(byte() * std::size_t{64} << 10);
        if (what < 216)
            return static_cast<void>(what % 2 == 0 ? affinity_heap::trim_all()
                                                   : some_affinity()->trim());
        if (what < 218)
            return static_cast<void>(affinity_heap::give_back_due());
        if (what < 221)
            return threads_.end_after_this(what);
        if (what < 225)
            return end_shared(what < 223);
        if (what < 245)
            return misuse(below(live_.size()));
        look();
    }

    affinity_heap* some_affinity() { return affinities_[byte() % 4]; }

    void allocate() {
        const std::uint8_t kind = byte();
        const std::size_t bytes = kind < 190 ? byte() : kind < 240 ? below(5'000) : below(400'000);
        const std::size_t alignment = std::size_t{1} << (kind % 16 == 0 ? byte() % 13 : 3);
        const std::uint8_t which = byte();
        for (std::size_t n = which < 230 ? 1 : 8 * byte(); n != 0 && right(); --n) {
            if (live_.bytes() > std::size_t{16} << 20 || live_.size() > 10'000)
                return;
            const unsigned mark = strategy_ == 0 ? ordered : 0;
            if (which % 8 == 7)
                add(shared_->try_allocate(bytes, alignment), bytes, alignment, shared | ordered);
            else if (which % 8 == 5 && alignment <= natural_alignment(bytes))
                add(affinities_[1]->try_allocate_object(bytes), bytes, alignment, 1 | mark);
            else if (which % 8 == 6)
                add(affinity_heap::try_allocate_in<nodes>(bytes, alignment), bytes, alignment,
                    mark);
            else
                add(affinities_[which % 4]->try_allocate(bytes, alignment), bytes, alignment,
                    which % 4 | mark);
        }
    }
    void free_at(std::size_t at, std::uint8_t way) {
        if (at >= live_.size())
            return;
        const live_piece x = take(at);
        if (is_shared(x))
            return way % 2 == 0 ? shared_->deallocate(x.p)
                                : shared_->deallocate(x.p, x.bytes, x.alignment);
        switch (way % 6) {
        case 0:
            return affinity_heap::deallocate_any(x.p);
        case 1:
            return affinity_heap::deallocate_any(x.p, x.bytes, x.alignment);
        case 2:
            if (!affinity_heap::try_deallocate_own(x.p))
                affinity_of(x).deallocate(x.p);
            return;
        case 3:
            if (x.note % 4 == 0)
                return affinity_heap::deallocate_in<nodes>(x.p, x.bytes, x.alignment);
            [[fallthrough]];
        case 4:
            return affinity_of(x).deallocate(x.p, x.bytes, x.alignment);
        default:
            return affinity_of(x).deallocate(x.p);
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
            wrong("a strategy has no name");
    }
    void resize(std::size_t at) {
        if (at >= live_.size())
            return;
        const live_piece& x = live_[at];
        const std::size_t bytes = 1 + below(2 * x.bytes + 100);
        if (is_shared(x) ? shared_->try_resize(x.p, x.bytes, bytes, x.alignment)
                         : affinity_of(x).try_resize(x.p, x.bytes, bytes, x.alignment))
            resized(at, bytes);
    }
    /// Reset, or another one.
    void end_shared(bool reset) {
        live_.forget_if(is_shared);
        if (reset)
            shared_->reset();
        else
            shared_ = std::make_unique<shared_heap>(
                shared_heap_options{.name = byte() % 2 == 0 ? "" : "of a program"});
        if (shared_->usage().bytes_in_use != 0)
            wrong("in use after a reset");
    }

    void misuse(std::size_t at) {
        if (strategy_ != 0 || passthrough()) // who frees for malloc must not be given nonsense
            return;
        static char foreign[64];
        const std::uint8_t what = byte() % 5;
        if (what == 0) {
            expect_found([&] { affinities_[1]->deallocate(foreign + 16, 16, 8); });
            expect_found([&] { affinity_heap::deallocate_any(foreign + 16); });
            expect_found([&] { static_cast<void>(affinities_[1]->size_of(foreign + 16)); });
        }
        if (at >= live_.size() || is_shared(live_[at]) || (live_[at].note & ordered) == 0)
            return;
        const live_piece x = live_[at];
        if (what == 1) { // of another affinity
            affinity_heap* const other = affinities_[x.note % 4 == 1 ? 2 : 1];
            expect_found([&] { other->deallocate(x.p, x.bytes, x.alignment); });
            expect_found([&] { shared_->deallocate(x.p, x.bytes, x.alignment); });
        } else if (what == 2 && x.bytes < 1500 && x.alignment <= 16) {
            take(at);
            if (affinity_heap::try_deallocate_own(x.p)) {
                expect_found([&] { affinity_of(x).deallocate(x.p, x.bytes, x.alignment); });
            } else { // of another thread
                affinity_of(x).deallocate(x.p, x.bytes, x.alignment);
            }
        }
        if (what != 2)
            check(x);
    }
    void look() {
        std::ostringstream text;
        affinity_heap::report_all(text);
        some_affinity()->report(text);
        some_affinity()->report_json(text);
        shared_->report_json(text);
        take_usage_snapshot().write_text(text);
        if (text.str().find("by name") == std::string::npos)
            wrong("an affinity is in no report");
        std::size_t of_affinities = 0, of_shared = 0;
        check_all();
        for (const live_piece& x : live_) {
            (is_shared(x) ? of_shared : of_affinities) += x.bytes;
            if (is_shared(x) ? !shared_->owns(x.p)
                             : affinity_heap::heap_of(x.p) != &affinity_of(x) ||
                                   affinity_of(x).size_of(x.p) < x.bytes)
                wrong("a heap does not know what it handed out");
        }
        if (affinity_heap::usage_all().bytes_in_use < of_affinities ||
            shared_->usage().bytes_in_use < of_shared)
            wrong("usage tells of less than there is");
        if (affinity_heap::find("nodes") != &affinity_heap::of<nodes>() ||
            affinity_heap::count() != affinity_heap::all().size() ||
            &affinity_heap::by_index(0) != &affinity_heap::all()[0])
            wrong("an affinity is not found");
        memory_map map;
        affinity_heap::list_regions_all(map);
        if (map.overlapping() != 0)
            wrong("regions overlap");
    }

    affinity_heap* affinities_[4]{&affinity_heap::of<nodes>(), &affinity_heap::of<vertices>(),
                                  &affinity_heap::named("by name"),
                                  &affinity_heap::named("sizes kept", {.sizes = sizes::kept})};
    std::unique_ptr<shared_heap> shared_ = std::make_unique<shared_heap>();
    unsigned strategy_ = 0;
    support::three_threads threads_;
};

} // namespace

std::string run(support::byte_source& source) { return program{}.run(source); }
