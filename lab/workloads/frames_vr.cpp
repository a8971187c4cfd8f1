// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/objects_of.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"
#include "cache/counted.hpp"
#include "frames/fitted_load.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// frames/vr: the frames of a program that has 11.1 ms for each.
//
//     game    | particles die, are born | scene | commands | temporaries |    one frame
//     loader  | the next cell of the scene, and the end of one that left |
//     render  | the commands of the frame before                         |
//
// With load=100: particles of 64 bytes are born in bursts, one frame in eight a large one, live 20
// to 40 frames and all move in each. The scene has 40 cells of 1700 nodes of 48 to 200 bytes, as a
// list each; every frame one cell is paged out and another one in, by a thread of its own. 4000
// commands of 32 to 256 bytes are written, and read a frame later by the render thread. 1500
// temporaries of 16 to 4096 bytes end with the frame.
//
// A heap serves all four, one object of the subject for each; its render thread frees the commands,
// its loader the nodes. What is chosen for each use serves it as it is meant to.
//
// Frames follow each other at once, and are as long as their work: what takes over 11.1 ms was
// missed. `load` scales all of these numbers, in percent: 0 is the largest that new and delete
// carry on this machine, missing up to 5 % of the frames, which is found before the run
// (frames/fitted_load.hpp) and told as `load_found`. frame_*: of all frames of a pass but the first
// 60. alloc_*: time of a frame in which the game's thread does nothing but allocate, write the
// first word, and free.
//
// counted=yes: which reads and writes of a frame miss a cache, of all three threads, by valgrind's
// cachegrind, which simulates one (cache/counted.hpp): the difference between 200 frames and 100.
//
// Read `frame_p999` and `missed` first: a heap that is quick on average and slow once in a thousand
// frames is no use here. `alloc_p50` and `alloc_p999` show how much of a frame is allocation at
// all. `first_level` and `last_level` are misses a frame; they are counted, so the same in each
// run.

namespace arenite::lab {
namespace {

constexpr double budget_ms = 11.1;
constexpr std::size_t warm_up_frames = 60;
constexpr std::size_t cells = 40, nodes_a_cell = 1700;
constexpr std::size_t commands = 4000, temporaries = 1500;
constexpr std::size_t most_particles = 120'000;

struct particle {
    particle(float x, std::uint32_t frames) noexcept : position{x, x, x, 1}, left{frames} {}
    void move() noexcept {
        for (int i = 0; i < 4; ++i)
            position[i] += velocity[i] * 0.011F;
    }
    float position[4], velocity[4] = {1, 2, 3, 0}, colour[4] = {};
    std::uint32_t left, more[3] = {};
};
static_assert(sizeof(particle) == 64);

struct node {
    node* next;
    std::uint32_t bytes, value;
    std::byte more[32];
};

struct command {
    std::uint32_t bytes, value;
};

/// The commands of two frames: as a heap has them, and as two buffers.
template <class S>
class command_queue {
public:
    [[nodiscard]] command* make(std::uint32_t bytes) {
        if constexpr (chosen)
            return static_cast<command*>(heap_->allocate(bytes, 8));
        else
            return static_cast<command*>(heap_.allocate(bytes, 8));
    }
    void end(command* c) noexcept {
        if constexpr (!chosen)
            heap_.deallocate(c, c->bytes, 8);
    }
    void swap() noexcept {
        if constexpr (chosen)
            heap_->swap();
    }
    command_queue() {
        if constexpr (chosen)
            heap_.emplace(std::size_t{2} << 20);
    }

private:
    static constexpr bool chosen = requires { typename S::buffers; };
    template <class T>
    struct buffers {
        using type = T;
    };
    template <class T>
        requires chosen
    struct buffers<T> {
        using type = std::optional<typename T::buffers>;
    };
    typename buffers<S>::type heap_;
};

/// Objects that live for a frame.
template <class S>
class frame_memory {
public:
    [[nodiscard]] void* make(std::size_t bytes) {
        if constexpr (chosen)
            return heap_->allocate(bytes, 8);
        else
            return heap_.allocate(bytes, 8);
    }
    void end_all(const reserved<void*>& all, const reserved<std::uint32_t>& sizes,
                 std::size_t count) noexcept {
        if constexpr (chosen)
            heap_->reset();
        else
            for (std::size_t i = 0; i < count; ++i)
                heap_.deallocate(all[i], sizes[i], 8);
    }
    frame_memory() {
        if constexpr (chosen)
            heap_.emplace(temporaries * std::size_t{4104});
    }

private:
    static constexpr bool chosen = requires { typename S::temporaries; };
    template <class T>
    struct one {
        using type = T;
    };
    template <class T>
        requires chosen
    struct one<T> {
        using type = std::optional<typename T::temporaries>;
    };
    typename one<S>::type heap_;
};

struct frames_vr {
    static workload_info info() {
        return {.name = "frames/vr",
                .summary = "frames of 11.1 ms: particles, a scene that is paged, commands",
                .parameters = {{.name = "frames",
                                .defaults = {"600"},
                                .summary = "of a pass",
                                .least = 100,
                                .most = 1'000'000},
                               {.name = "load",
                                .defaults = {"0"},
                                .summary = "percent of the objects of a heavy frame; 0: as much as "
                                           "new and delete carry",
                                .least = 0,
                                .most = 100},
                               {.name = "counted",
                                .type = parameter::kind::choice,
                                .defaults = {"no"},
                                .summary = "misses of the cache, by cachegrind, instead of times",
                                .choices = {"yes", "no"}}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.chosen",
                .subjects = {"arenite.chosen", "arenite.chosen-4k", "arenite.affinity", "std",
                             "std-thp", "mimalloc", "mimalloc-4k", "mimalloc.heaps", "jemalloc",
                             "tcmalloc"},
                .touches = [](const parameter_values&) { return std::size_t{256} << 20; },
                .check = &find_load};
    }

    /// In the process that starts all turns, so that they have one load.
    static std::optional<std::string> find_load(const parameter_values& values) {
        try {
            if (values.at("load") == "0")
                static_cast<void>(fitted_load());
        } catch (const cannot_run& e) {
            return e.what();
        }
        return {};
    }

    template <class S>
    static constexpr bool accepts = for_any_thread<S> || one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : frames_{static_cast<std::size_t>(t.integer("frames"))},
              load_{t.integer("load") != 0 ? static_cast<std::size_t>(t.integer("load"))
                                           : fitted_load()} {
            random_source random{1};
            for (std::uint32_t& bytes : lists_.command_bytes)
                bytes = static_cast<std::uint32_t>(32 + random.below(225));
            for (std::uint32_t& bytes : lists_.temporary_bytes)
                bytes = static_cast<std::uint32_t>(16 + random.below(random.below(4080) + 1));
            particles_of_.reserve(most_particles);
        }

        void pass(turn& t) {
            if (t.text("counted") == "yes")
                count(t);
            else
                play(t);
        }

    private:
        using objects = typename objects_for<S, particle>::type;

        /// This turn again under cachegrind, twice; once counts the start, too.
        void count(turn& t) const {
            if (!t.cold())
                return;
            constexpr std::size_t few = 100;
            const auto of = [&](std::size_t frames) {
                return count_misses_of_this_turn({{"frames", std::to_string(frames)},
                                                  {"load", std::to_string(load_)},
                                                  {"counted", "no"}});
            };
            const cache_misses_of a = of(few), b = of(2 * few);
            const auto per_frame = [&](std::uint64_t less, std::uint64_t more) {
                return (static_cast<double>(more) - static_cast<double>(less)) / few;
            };
            t.record("first_level", "misses/frame", per_frame(a.first_level, b.first_level));
            t.record("last_level", "misses/frame", per_frame(a.last_level, b.last_level));
            t.note("accesses", "/frame", per_frame(a.accesses, b.accesses));
            t.note("load_found", "%", static_cast<double>(load_));
            t.checksum(load_);
        }

        void play(turn& t) {
            sum_ = 0;
            random_ = random_source{2};
            at_.wanted = at_.loaded = at_.drawn = at_.submitted = 0;
            at_.stop = false;
            std::thread loader{[this] { load(); }};
            std::thread renderer{[this] { render(); }};
            for (std::size_t f = 0; f < frames_; ++f)
                frame(f);
            wait_for(at_.drawn, at_.submitted);
            wait_for(at_.loaded, at_.wanted);
            at_.stop = true;
            loader.join();
            renderer.join();
            particles_of_.clear();
            tell(t);
        }

        /// That share of a number of objects that the load is.
        [[nodiscard]] std::size_t part_of(std::size_t count) const { return count * load_ / 100; }

        // ---- the game's thread

        void frame(std::size_t f) {
            const stopwatch whole;
            double allocating = 0;

            // Particles: those whose time is over go, others come.
            const std::size_t born = part_of(f % 8 == 0 ? 12'000 : 1'200);
            const stopwatch particles;
            for (std::size_t i = 0; i < particles_of_.size();) {
                if (--particles_of_[i]->left == 0) {
                    particles_of_[i] = std::move(particles_of_.back());
                    particles_of_.pop_back();
                } else {
                    ++i;
                }
            }
            for (std::size_t i = 0; i < born && particles_of_.size() < most_particles; ++i)
                particles_of_.push_back(particles_.acquire(
                    static_cast<float>(i), static_cast<std::uint32_t>(20 + random_.below(20))));
            allocating += particles.nanoseconds();
            if constexpr (has_objects<S>)
                particles_.for_each([](particle& p) { p.move(); });
            else
                for (auto& p : particles_of_)
                    p->move();

            // The scene: the cell that was asked for is there; another one goes for it.
            wait_for(at_.loaded, at_.wanted);
            const std::size_t place = f % cells;
            scene_.leaving = scene_.cell[place];
            scene_.cell[place] = scene_.arriving;
            scene_.arriving = nullptr;
            at_.wanted.store(f + 1, std::memory_order_release);
            for (const node* first : scene_.cell)
                for (const node* n = first; n != nullptr; n = n->next)
                    sum_ += n->value;

            // Commands, into the half that was drawn; temporaries, until the end of the frame.
            const stopwatch writing;
            command** const half = &lists_.queue[f % 2 * commands];
            for (std::size_t i = 0; i < part_of(commands); ++i) {
                command* const c = commands_.make(lists_.command_bytes[i]);
                *c = {lists_.command_bytes[i], static_cast<std::uint32_t>(f + i)};
                half[i] = c;
            }
            for (std::size_t i = 0; i < part_of(temporaries); ++i) {
                lists_.temporary[i] = temporary_.make(lists_.temporary_bytes[i]);
                *static_cast<std::uint64_t*>(lists_.temporary[i]) = i;
                opaque(lists_.temporary[i]);
            }
            temporary_.end_all(lists_.temporary, lists_.temporary_bytes, part_of(temporaries));
            allocating += writing.nanoseconds();

            wait_for(at_.drawn, f); // the frame before, whose half is the next to be written
            commands_.swap();
            at_.submitted.store(f + 1, std::memory_order_release);
            sum_ += particles_of_.size();
            times_.frame_ms[f % kept] = whole.nanoseconds() / 1e6;
            times_.allocating_us[f % kept] = allocating / 1e3;
        }

        void tell(turn& t) {
            const std::size_t count = std::min(frames_, kept);
            const std::size_t from = std::min(warm_up_frames, count / 2);
            const auto percentile = [&](reserved<double>& all, double share) {
                double* const begin = &all[from];
                double* const end = begin + (count - from);
                double* const nth = begin + static_cast<std::ptrdiff_t>(
                                                share * static_cast<double>(end - begin - 1));
                std::nth_element(begin, nth, end);
                return *nth;
            };
            std::size_t missed = 0;
            for (std::size_t f = from; f < count; ++f)
                missed += times_.frame_ms[f] > budget_ms ? 1 : 0;
            t.record("missed", "% of frames",
                     100 * static_cast<double>(missed) / static_cast<double>(count - from));
            t.record("frame_p50", "ms", percentile(times_.frame_ms, 0.5));
            t.record("frame_p99", "ms", percentile(times_.frame_ms, 0.99));
            t.record("frame_p999", "ms", percentile(times_.frame_ms, 0.999));
            t.record("alloc_p50", "us/frame", percentile(times_.allocating_us, 0.5));
            t.record("alloc_p999", "us/frame", percentile(times_.allocating_us, 0.999));
            t.note("load_found", "%", static_cast<double>(load_));
            t.checksum(sum_ + drawn_sum_);
        }

        // ---- the others

        void load() {
            if (!nodes_)
                nodes_.emplace(); // a heap of the loader's own, where heaps are threads'
            random_source random{3};
            for (std::size_t done = 0;;) {
                if (at_.wanted.load(std::memory_order_acquire) == done) {
                    if (at_.stop)
                        return end_scene();
                    std::this_thread::yield();
                    continue;
                }
                end_cell(scene_.leaving);
                node* first = nullptr;
                for (std::size_t i = 0; i < part_of(nodes_a_cell); ++i) {
                    const auto bytes =
                        static_cast<std::uint32_t>((sizeof(node) + random.below(153)) / 8 * 8);
                    auto* const n = static_cast<node*>(nodes_->allocate(bytes, 8));
                    n->next = first;
                    n->bytes = bytes;
                    n->value = static_cast<std::uint32_t>(i);
                    first = n;
                }
                scene_.arriving = first;
                at_.loaded.store(++done, std::memory_order_release);
            }
        }

        void end_cell(node* first) noexcept {
            while (first != nullptr) {
                node* const gone = first;
                first = gone->next;
                nodes_->deallocate(gone, gone->bytes, 8);
            }
        }

        void end_scene() noexcept {
            for (node*& first : scene_.cell)
                end_cell(std::exchange(first, nullptr));
            end_cell(std::exchange(scene_.arriving, nullptr));
            scene_.leaving = nullptr;
        }

        void render() {
            std::uint64_t sum = 0;
            for (std::size_t done = 0;;) {
                if (at_.submitted.load(std::memory_order_acquire) == done) {
                    if (at_.stop)
                        break;
                    std::this_thread::yield();
                    continue;
                }
                command** const half = &lists_.queue[done % 2 * commands];
                for (std::size_t i = 0; i < part_of(commands); ++i) {
                    sum += half[i]->value;
                    commands_.end(half[i]);
                }
                at_.drawn.store(++done, std::memory_order_release);
            }
            drawn_sum_ = sum;
        }

        static void wait_for(const std::atomic<std::size_t>& done, std::size_t n) {
            while (done.load(std::memory_order_acquire) < n)
                std::this_thread::yield();
        }

        static constexpr std::size_t kept = 100'000; ///< frames whose times are kept

        struct progress {
            std::atomic<std::size_t> wanted{0}, loaded{0}, submitted{0}, drawn{0}; ///< frames
            std::atomic<bool> stop{false};
        };
        struct scene {
            std::array<node*, cells> cell{};
            node* arriving = nullptr; ///< from the loader, or to it
            node* leaving = nullptr;
        };
        struct lists {
            reserved<command*> queue{2 * commands};
            reserved<void*> temporary{temporaries};
            reserved<std::uint32_t> command_bytes{commands}, temporary_bytes{temporaries};
        };
        struct times {
            reserved<double> frame_ms{kept}, allocating_us{kept};
        };

        objects particles_;
        std::vector<typename objects::owner> particles_of_;
        std::optional<S> nodes_;
        command_queue<S> commands_;
        frame_memory<S> temporary_;
        scene scene_;
        lists lists_;
        times times_;
        std::size_t frames_, load_;
        random_source random_{2};
        std::uint64_t sum_ = 0, drawn_sum_ = 0;
        progress at_;
    };
};

ARENITE_LAB_WORKLOAD(frames_vr);

} // namespace
} // namespace arenite::lab
