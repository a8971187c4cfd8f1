// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program on fixed memory: one buffer at the start, then 10,000 frames without a call to the
// system's memory functions and without a page fault.
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include "system_calls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

constexpr int skipped = 77; // as CMakeLists.txt says

/// Counts of what went otherwise than it should.
int failures = 0;

void expect(bool ok, const char* sentence) {
    if (ok)
        return;
    ++failures;
    std::fprintf(stderr, "not so: %s\n", sentence);
}

class random_source {
public:
    [[nodiscard]] std::size_t below(std::size_t n) noexcept {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state_ >> 33) % n;
    }

private:
    std::uint64_t state_ = 1;
};

struct particle {
    float position[3], speed[3];
    int frames_left;
};

struct entity {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// The course of a program that shows something.
struct events {
    int warnings = 0;
    int refusals = 0;
    std::size_t beyond_the_pool = 0;
    std::size_t most_of_a_frame = 0;
};

/// All of it lives in `memory`: what stays comes from the high end before the first frame, what a
/// level needs from the low one.
class game {
    template <class T, class R>
    using memory_of = resource_allocator<T, R>;

public:
    explicit game(double_ended_resource& memory)
        : levels_{memory.low()}, frames_{512_KiB, linear_options{.eager = true}, &memory.high()},
          particles_{slot{sizeof(particle), alignof(particle)},
                     pool_options{.slots = most_particles, .eager = true}, &memory.high()},
          heap_{12_MiB, tlsf_options{.eager = true}, &memory.high()},
          entity_memory_{limited_options{.budget_bytes = 8_MiB,
                                         .warn_at = 0.9,
                                         .on_warning = &game::warned,
                                         .user = this,
                                         .reserve_bytes = 64_KiB},
                         heap_} {
        level_ = levels_.mark();
    }

    void frame(int number) {
        linear_resource& now = frames_.next();
        if (number % 500 == 0)
            load_level();
        move_particles(now);
        replace_entities();
        send_messages(number);
        if (number % 1000 == 999)
            fill_up();
        seen_.most_of_a_frame = std::max(seen_.most_of_a_frame, now.high_water());
    }

    void end() {
        messages_.clear();
        names_.clear();
        for (entity& e : entities_)
            give_back(e);
        for (std::size_t i = 0; i < alive_; ++i)
            sparks_.deallocate(living_[i], sizeof(particle), alignof(particle));
        alive_ = 0;
        expect(entity_memory_.in_use() == 0, "all entities are given back");
        expect(tracked_messages_.in_use() == 0, "all messages are given back");
        expect(sparks_.usage().bytes_in_use == 0, "all particles are given back");
    }

    [[nodiscard]] const events& seen() const noexcept { return seen_; }

private:
    static constexpr std::size_t most_particles = 2000;
    static constexpr std::size_t most_living = 2500;

    using heap = tlsf_resource;

    static void warned(std::size_t, std::size_t, void* user) {
        ++static_cast<game*>(user)->seen_.warnings;
    }

    /// The last level's memory is gone at once.
    void load_level() {
        levels_.rewind(level_);
        const std::size_t bytes = 1_MiB + random_.below(2_MiB);
        std::memset(levels_.allocate(bytes), 1, bytes);
    }

    /// More of them than the pool has: the others are the heap's.
    void move_particles(linear_resource& now) {
        std::vector<particle*, memory_of<particle*, linear_resource>> ended{now};
        for (std::size_t i = 0; i < alive_; ++i)
            if (--living_[i]->frames_left == 0)
                ended.push_back(living_[i]); // grows in the frame's memory
        std::size_t kept = 0;
        for (std::size_t i = 0; i < alive_; ++i)
            if (living_[i]->frames_left != 0)
                living_[kept++] = living_[i];
        alive_ = kept;
        for (particle* p : ended)
            sparks_.deallocate(p, sizeof(particle), alignof(particle));
        for (std::size_t n = random_.below(120); n > 0 && alive_ < most_living; --n) {
            void* const p = sparks_.allocate(sizeof(particle), alignof(particle));
            seen_.beyond_the_pool += particles_.owns(p) ? 0u : 1u;
            living_[alive_++] = new (p) particle{{}, {}, 1 + static_cast<int>(random_.below(80))};
        }
    }

    void replace_entities() {
        for (int i = 0; i < 50; ++i) {
            entity& e = entities_[random_.below(entities_.size())];
            give_back(e);
            e.bytes = 16 + random_.below(random_.below(20) == 0 ? 40'000 : 2000);
            e.data = static_cast<std::byte*>(entity_memory_.try_allocate(e.bytes));
            if (e.data != nullptr)
                std::memset(e.data, 7, e.bytes);
            else
                refused(e);
        }
    }

    void refused(entity& e) {
        ++seen_.refusals;
        e.bytes = 0;
    }

    void give_back(entity& e) {
        if (e.data != nullptr)
            entity_memory_.deallocate(std::exchange(e.data, nullptr), e.bytes);
    }

    void send_messages(int number) {
        for (int i = 0; i < 20; ++i) {
            messages_.push_back(number);
            names_[static_cast<int>(random_.below(500))] = number;
        }
        while (messages_.size() > 100)
            messages_.pop_front();
        names_.erase(static_cast<int>(random_.below(500)));
    }

    /// Until the budget ends; the reserve is there for what is to be saved, then all goes on.
    void fill_up() {
        linear_resource& now = frames_.current();
        const scope temporaries{now};
        std::vector<void*, memory_of<void*, linear_resource>> all{now};
        all.reserve(4096);
        for (void* p = nullptr; (p = entity_memory_.try_allocate(20'000)) != nullptr;)
            all.push_back(p);
        ++seen_.refusals;
        expect(entity_memory_.reserve_is_open(), "a refusal opens the reserve");
        void* const saved = entity_memory_.try_allocate(40'000);
        expect(saved != nullptr, "the reserve is there");
        entity_memory_.deallocate(saved, 40'000);
        for (void* p : all)
            entity_memory_.deallocate(p, 20'000);
        expect(entity_memory_.restore_reserve(), "the reserve is kept back again");
    }

    random_source random_;
    linear_resource& levels_;
    linear_resource::marker level_;
    frame_resource<2> frames_;
    pool_resource particles_;
    heap heap_;
    limited_resource<heap&> entity_memory_;
    fallback_resource<pool_resource&, heap&> sparks_{particles_, heap_};
    tracked_resource<heap&> tracked_messages_{"messages", heap_};

    std::array<particle*, most_living> living_{};
    std::size_t alive_ = 0;
    std::array<entity, 1500> entities_{};
    std::list<int, memory_of<int, tracked_resource<heap&>>> messages_{tracked_messages_};
    std::map<int, int, std::less<>, memory_of<std::pair<const int, int>, tracked_resource<heap&>>>
        names_{tracked_messages_};

    events seen_;
};

/// Each of these is to be seen, or the program would show nothing.
void show_that_calls_and_faults_are_counted() {
    const std::size_t calls = system_calls::count();
    void* volatile from_malloc = std::malloc(100);
    std::free(from_malloc);
    expect(system_calls::count() >= calls + 2, "malloc and free are counted");
    const std::size_t mapped = system_calls::count(), faults = system_calls::page_faults();
    page_resource pages{page_options{.huge = huge_pages::never}};
    void* const p = pages.allocate(1_MiB);
    expect(system_calls::count() > mapped, "mmap is counted");
    std::memset(p, 1, 1_MiB);
    expect(system_calls::page_faults() > faults + 100, "page faults are counted");
    pages.deallocate(p, 1_MiB);
}

/// A program from start to end, and what happened between its first frame and its last.
void play(int frames, std::size_t& calls, std::size_t& faults) {
    page_source().trim(); // what an earlier one gave back is not touched already
    double_ended_resource memory{24_MiB, linear_options{.prefault = true}, &page_source()};
    game* const g = create<game>(memory.high(), memory);

    const std::size_t calls_before = system_calls::count();
    const std::size_t faults_before = system_calls::page_faults();
    for (int number = 0; number < frames; ++number)
        g->frame(number);
    calls = system_calls::count() - calls_before;
    faults = system_calls::page_faults() - faults_before;

    g->end();
    expect(g->seen().warnings >= frames / 1000, "the budget warned when it was nearly used up");
    expect(g->seen().refusals >= frames / 1000, "the budget was used up");
    expect(g->seen().beyond_the_pool > 0, "the heap stood in for the pool");
    expect(g->seen().most_of_a_frame > 0, "frames allocated");
    destroy(memory.high(), g);
}

} // namespace

int main() {
    if (!system_calls::are_counted() || passthrough()) {
        std::puts("the system's memory functions cannot be counted here");
        return skipped;
    }
    show_that_calls_and_faults_are_counted();

    // Brings in the pages of the program's own code and stack.
    std::size_t calls = 0, faults = 0;
    play(2000, calls, faults);

    // The system may take a page away for reasons of its own; it does not do so three times.
    std::size_t least_faults = SIZE_MAX;
    for (int round = 0; round < 3 && least_faults != 0; ++round) {
        play(10'000, calls, faults);
        std::printf("10,000 frames: %zu calls to the system's memory functions, %zu page faults\n",
                    calls, faults);
        if (calls != 0)
            std::fprintf(stderr, "the latest: %s\n", system_calls::latest());
        expect(calls == 0, "no call to the system's memory functions");
        least_faults = std::min(least_faults, faults);
    }
    expect(least_faults == 0, "no page fault");
    return failures == 0 ? 0 : 1;
}
