// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program that names affinities, with options and without, uses them by three threads and
// by the short way of hooks, retires them, and looks at them all, beside a list of those that are
// there. Shared heaps come and go, with all memory from malloc, too. One thread works at a time.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/affinity_usage.hpp>
#include <arenite/affinity/detail/affinity_door.hpp>
#include <arenite/affinity/detail/outside_memory.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/helper_thread.hpp"
#include "target.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

using namespace arenite;
using support::live_piece;

namespace {

struct of_a_tag {
    static constexpr std::string_view name = "of a tag";
};

class program final : public support::memory_driver {
public:
    program() : memory_driver{40} {}
    ~program() override { detail::set_passthrough_for_test(was_passthrough_); }

private:
    static constexpr unsigned names = 6;

    /// An affinity of a name that the program has given.
    struct entry {
        std::string name;
        affinity_heap* heap = nullptr;
        affinity_options options;
        bool has_options = false; ///< said, or used under its name alone
        std::size_t live = 0;
    };

    void one(support::decisions&) override {
        threads_.on(byte(), [this] { work(); });
    }
    void end() override {
        use_affinity_strategy(affinity_strategy::ordered);
        while (some_live())
            free_at(live_.size() - 1);
        threads_.end();
        for (entry& e : all_)
            if (e.heap != nullptr)
                retire(e);
        if (affinity_heap::count() != 1)
            wrong("an affinity was not retired");
        affinity_heap::trim_all();
        if (affinity_heap::usage_all().bytes_reserved != 0)
            wrong("what was retired left memory");
    }

    void work() {
        const std::uint8_t what = byte();
        entry& e = all_[byte() % names];
        if (what < 40)
            return name(e);
        if (what < 110)
            return allocate(e, 1 + byte() % 20);
        if (what < 160) {
            for (std::size_t n = 1 + byte() % 20, at = below(live_.size()); n != 0; --n)
                free_at(at);
            return;
        }
        if (what < 200)
            return e.heap != nullptr ? retire(e) : void();
        if (what < 215)
            return look();
        if (what < 225)
            return threads_.end_after_this(what);
        if (what < 235)
            return use_shared();
        if (what < 238)
            return name_all_that_there_may_be();
        if (what < 241)
            return use_malloc();
        if (what < 246)
            return bad_names();
        constexpr affinity_strategy all[]{affinity_strategy::ordered, affinity_strategy::intrusive,
                                          affinity_strategy::slots};
        use_affinity_strategy(all[what % 3]);
    }

    void name(entry& e) {
        const std::uint8_t shape = byte();
        affinity_options options{.alignment = std::size_t{1} << shape % 6,
                                 .block_bytes = std::size_t{64} << 10 << shape / 8 % 3,
                                 .sizes = shape / 32 % 2 != 0 ? sizes::kept : sizes::given,
                                 .policy = shape / 64 % 2 != 0 ? return_policy::return_all
                                                               : return_policy{},
                                 .eager = byte() % 8 == 0};
        const bool says_options = shape / 128 != 0;
        options.prefault = byte() % 16 == 0;
        const bool is_same =
            e.heap == nullptr || !e.has_options || !says_options ||
            (e.options.alignment == options.alignment &&
             e.options.block_bytes == options.block_bytes && e.options.sizes == options.sizes &&
             e.options.policy == options.policy && e.options.eager == options.eager &&
             e.options.prefault == options.prefault);
        if (!is_same)
            return expect_found([&] { static_cast<void>(affinity_heap::named(e.name, options)); });
        affinity_heap& h =
            says_options ? affinity_heap::named(e.name, options) : affinity_heap::named(e.name);
        if (e.heap != nullptr && e.heap != &h)
            wrong("a name has two affinities");
        e.heap = &h;
        if (says_options && !e.has_options) {
            e.options = options;
            e.has_options = true;
        }
        if (h.name() != e.name || affinity_heap::find(e.name) != &h)
            wrong("an affinity is not found by its name");
        if (says_options && h.alignment() != options.alignment)
            wrong("an affinity has other options than it was given");
    }
    void allocate(entry& e, std::size_t count) {
        if (e.heap == nullptr)
            return;
        if (!e.has_options) { // those of its name alone, from now on
            e.has_options = true;
            e.options = {};
        }
        const auto note = static_cast<unsigned>(&e - all_.data());
        const detail::affinity_door door = e.heap->door();
        for (; count != 0 && live_.size() < 2000; --count) {
            const std::size_t bytes = byte() % 8 != 0 ? byte() : below(100'000);
            void* p = count % 2 == 0 ? door.try_take(bytes) : nullptr;
            if (p == nullptr)
                p = e.heap->try_allocate(bytes, 8);
            add(p, bytes, 8, note);
            ++e.live;
        }
    }
    void free_at(std::size_t at) {
        if (at >= live_.size())
            return;
        const live_piece x = take(at);
        entry& e = all_[x.note];
        --e.live;
        e.heap->deallocate(x.p, x.bytes, x.alignment);
    }
    void retire(entry& e) {
        if (e.live != 0)
            return expect_found([&] { e.heap->retire(); });
        affinity_heap& h = *e.heap;
        h.retire();
        if (affinity_heap::find(e.name) != nullptr)
            wrong("a name is not free again");
        expect_found([&] { h.retire(); });
        expect_found([&] { static_cast<void>(h.try_allocate(16, 8)); });
        e = entry{.name = e.name};
    }
    void look() {
        expect_found([] { affinity_heap::of<of_a_tag>().retire(); });
        std::size_t here = 1;
        for (const entry& e : all_)
            here += e.heap != nullptr ? 1 : 0;
        if (affinity_heap::count() != here)
            wrong("there are more affinities or fewer");
        if (&affinity_heap::by_index(here - 1) != &affinity_heap::all()[here - 1])
            wrong("an index leads elsewhere");
        affinity_usage tree;
        for (entry& e : all_)
            if (e.heap != nullptr && e.live == 0) {
                retire(e);
                break;
            }
        tree.update();
        if (tree.node().usage().bytes_in_use != affinity_heap::usage_all().bytes_in_use)
            wrong("the tree tells another sum");
        memory_map map;
        affinity_heap::list_regions_all(map);
        if (map.overlapping() != 0)
            wrong("regions overlap");
        check_all();
    }
    void bad_names() {
        const std::string too_long(64, 'x');
        for (const std::string_view bad : {std::string_view{}, std::string_view{too_long}})
            expect_found([&] { static_cast<void>(affinity_heap::named(bad)); });
        expect_found([] { static_cast<void>(affinity_heap::named("odd", {.alignment = 24})); });
    }
    /// Each name is looked for among all: once in a program.
    void name_all_that_there_may_be() {
        if (std::exchange(has_named_all_, true))
            return;
        static std::array<affinity_heap*, detail::most_affinities> more{};
        std::size_t n = 0;
        while (affinity_heap::count() < more.size()) {
            more[n] = &affinity_heap::named("one of many " + std::to_string(n));
            ++n;
        }
        expect_found([] { static_cast<void>(affinity_heap::named("one too many")); });
        while (n != 0)
            more[--n]->retire();
    }
    /// Objects that lie outside, each found in its pages. All are searched: once in a program.
    void use_malloc() {
        if (std::exchange(has_searched_, true))
            return;
        use_affinity_strategy(affinity_strategy::standard);
        std::array<void*, 8> all{};
        for (void*& p : all)
            p = tag_.try_allocate(byte() * std::size_t{16}, 8);
        std::size_t found = 0;
        detail::outside_memory::for_each([&](const void* p, std::size_t, unsigned) {
            found += std::count(all.begin(), all.end(), p) != 0 ? 1 : 0;
        });
        for (void* const p : all)
            affinity_heap::deallocate_any(p);
        // Memory of nobody may be malloc's, which finds what is wrong with it.
        const bool is_handed_on = detail::outside_memory::hand_to_checker(::operator new(8));
        use_affinity_strategy(affinity_strategy::ordered);
        if (found != all.size() || !is_handed_on)
            wrong("an object outside is not found");
    }
    /// With its own memory, or each object one of malloc's.
    void use_shared() {
        const bool from_malloc = byte() % 2 == 0;
        const bool before = detail::set_passthrough_for_test(from_malloc);
        {
            shared_heap h;
            void* const p = h.try_allocate(100, 8);
            void* const q = h.try_allocate(0, 8);
            if (p == nullptr || q == nullptr || h.size_of(p) < 100 || !h.owns(q) ||
                h.usage().bytes_in_use < 100)
                wrong("a shared heap does not serve");
            memory_map map;
            h.list_regions(map);
            static_cast<void>(h.try_resize(p, 100, 104, 8));
            h.deallocate(q, 0, 8);
            if (byte() % 2 == 0)
                h.reset();
            else
                h.deallocate(p);
            if (h.usage().bytes_in_use != 0)
                wrong("in use when nothing lives");
        }
        detail::set_passthrough_for_test(before);
    }

    bool was_passthrough_ = passthrough();
    bool has_searched_ = false;
    bool has_named_all_ = false;
    affinity_heap& tag_ = affinity_heap::of<of_a_tag>();
    std::array<entry, names> all_{{{.name = "first"},
                                   {.name = "second"},
                                   {.name = "a name of sixty-three characters which is the most "
                                            "that any has"},
                                   {.name = "3"},
                                   {.name = "fourth"},
                                   {.name = "fifth"}}};
    support::three_threads threads_;
};

} // namespace

std::string run(support::byte_source& source) { return program{}.run(source); }
