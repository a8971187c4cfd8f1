// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../probes/request.hpp"
#include "../probes/together.hpp"
#include "../scene/lean_tree.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

// threads/scaling: one heap, several threads.
//
// pattern=own.       Each thread builds a tree of its own (scene/quadtree's group form), visits it
//                    and takes it down; first one thread alone, then all at once. The best of five
//                    of each; `scaling` is how many times the throughput of one all of them have.
// pattern=handover.  One thread allocates, another one frees: in the order of the allocations, or
//                    (handover_shuffled) each 32768 of them in no order. 262144 objects of 24, 32
//                    and 48 bytes live all the while, at times a quarter more; `resident` is what
//                    memory is taken for a byte of the most that lived.
// pattern=passing.   Threads come and go: each builds a small tree, takes down one that a thread
//                    built which has ended meanwhile, and ends.
// pattern=larson.    Each thread has 1000 objects of 16 to 512 bytes and replaces one after the
//                    other at random; every 100000 replacements the thread ends and a new one takes
//                    over what another had (after Larson and Krishnan's server). Aligned as `new`
//                    asks. The time is that of a core: of two threads on one core each has half.
//
// Subjects are those that any thread may use. The threads are the workload's own: making them takes
// a few small allocations of the process's malloc, the same for each subject.
//
// `one_thread` and `all_threads` are times for each node of all threads together. `resident_after`,
// of each pattern that has it, is what is left when all is freed: with threads that ended it tells
// whether their memory found another user.

namespace arenite::lab {
namespace {

template <class S>
class own_trees {
public:
    own_trees(const turn& t, std::size_t threads)
        : threads_{threads}, levels_{static_cast<int>(t.integer("levels"))},
          nodes_{lean::nodes_of(levels_)}, start_{resident()} {}

    void pass(turn& t, S& heap) {
        std::atomic<std::uint64_t> sum{0};
        const auto work = [&](std::size_t) {
            lean::group_form<S> form{heap};
            lean::node* root = form.create(levels_);
            opaque(root);
            sum += lean::visit_group(root);
            form.destroy(root);
        };
        const auto best_of = [&](std::size_t threads) {
            double best = std::numeric_limits<double>::max();
            for (int i = 0; i < 5; ++i)
                best = std::min(best, together(threads, work));
            return best / static_cast<double>(nodes_ * threads);
        };
        const double alone = best_of(1);
        const double all = best_of(threads_);
        t.record("one_thread", "ns/node", alone);
        t.record("all_threads", "ns/node", all);
        t.note("scaling", "x", alone / all);
        if (t.cold())
            t.record_memory("resident_after", "bytes/node", start_, nodes_);
        t.checksum(sum);
    }

private:
    std::size_t threads_;
    int levels_;
    std::size_t nodes_;
    std::optional<resident_memory> start_;
};

template <class S>
class handover {
public:
    handover(const turn& t, bool shuffled)
        : batches_{static_cast<std::size_t>(t.integer("batches"))}, order_{batch},
          places_{batch * (window + 2)} {
        std::iota(order_.begin(), order_.end(), 0U);
        random_source random{1};
        if (shuffled)
            random.shuffle(order_);
        start_ = resident();
    }

    void pass(turn& t, S& heap) {
        made_ = freed_ = 0;
        sum_ = 0;
        const std::size_t ended = batches_ - window;
        const double time = together(2, [&](std::size_t i) {
            if (i == 0)
                make(heap);
            else
                free_until(heap, ended);
        });
        t.record("handover", "ns/object", time / static_cast<double>(batches_ * batch));
        std::size_t live = 0;
        for (std::size_t i = 0; i < batch; ++i)
            live += bytes_of(i);
        live *= window + 2; // at most: the maker may be two batches ahead
        t.record_memory("resident", "bytes/byte", start_, live);
        // By a thread that allocated none of them either.
        std::thread{[&] { free_until(heap, batches_); }}.join();
        if (t.cold())
            t.record_memory("resident_after", "bytes/byte", start_, live);
        t.checksum(sum_);
    }

private:
    static constexpr std::size_t batch = 32768;
    static constexpr std::size_t window = 8; ///< batches that live

    /// Sizes of the group form of a tree: an inner node, its child array, leaves.
    static constexpr std::size_t bytes_of(std::size_t i) noexcept {
        return i % 5 == 0 ? 48 : i % 5 == 1 ? 32 : 24;
    }

    [[nodiscard]] void** places_of(std::size_t b) noexcept {
        return &places_[b % (window + 2) * batch];
    }

    void make(S& heap) {
        for (std::size_t b = 0; b < batches_; ++b) {
            while (b >= freed_.load(std::memory_order_acquire) + window + 2)
                std::this_thread::yield();
            void** const places = places_of(b);
            for (std::size_t i = 0; i < batch; ++i) {
                places[i] = heap.allocate(bytes_of(i), alignof(void*));
                *static_cast<std::uint64_t*>(places[i]) = i;
            }
            made_.store(b + 1, std::memory_order_release);
        }
    }

    void free_until(S& heap, std::size_t end) {
        std::uint64_t sum = 0;
        for (std::size_t b = freed_; b < end; ++b) {
            while (made_.load(std::memory_order_acquire) < std::min(b + window, batches_))
                std::this_thread::yield();
            void** const places = places_of(b);
            for (const std::uint32_t i : order_) {
                sum += *static_cast<std::uint64_t*>(places[i]);
                heap.deallocate(places[i], bytes_of(i), alignof(void*));
            }
            freed_.store(b + 1, std::memory_order_release);
        }
        sum_ += sum;
    }

    std::size_t batches_;
    reserved<std::uint32_t> order_;
    reserved<void*> places_; ///< a ring of batches
    std::atomic<std::size_t> made_{0}, freed_{0};
    std::atomic<std::uint64_t> sum_{0};
    std::optional<resident_memory> start_;
};

template <class S>
class passing {
public:
    passing(const turn&, std::size_t threads)
        : threads_{threads}, trees_{threads * (generations + 2)}, start_{resident()} {}

    void pass(turn& t, S& heap) {
        std::atomic<std::uint64_t> sum{0};
        std::fill(trees_.begin(), trees_.end(), nullptr);
        const auto end = [&](lean::node*& tree) {
            if (tree == nullptr)
                return;
            sum += lean::visit_group(tree);
            lean::group_form<S>{heap}.destroy(tree);
            tree = nullptr;
        };
        const stopwatch running;
        for (std::size_t g = 0; g < generations; ++g) {
            std::array<std::thread, most_threads> now;
            for (std::size_t i = 0; i < threads_; ++i)
                now[i] = std::thread{[&, g, i] {
                    trees_[(g + 2) * threads_ + i] = lean::group_form<S>{heap}.create(levels);
                    end(trees_[g * threads_ + i]); // of two generations before
                }};
            for (std::size_t i = 0; i < threads_; ++i)
                now[i].join();
        }
        for (lean::node*& tree : trees_)
            end(tree);
        t.record("passing", "ns/node",
                 running.per(lean::nodes_of(levels) * generations * threads_));
        if (t.cold())
            t.record_memory("resident_after", "bytes/node", start_, lean::nodes_of(levels));
        t.checksum(sum);
    }

private:
    static constexpr std::size_t generations = 32;
    static constexpr int levels = 6;

    std::size_t threads_;
    reserved<lean::node*> trees_;
    std::optional<resident_memory> start_;
};

template <class S>
class larson {
public:
    larson(const turn&, std::size_t threads)
        : threads_{threads}, slots_{threads * slots_a_thread}, steps_{steps_a_round} {
        random_source random{1};
        for (step& s : steps_) {
            s.slot = static_cast<std::uint16_t>(random.below(slots_a_thread));
            s.bytes = static_cast<std::uint16_t>(16 + random.below(497));
        }
        start_ = resident();
    }

    void pass(turn& t, S& heap) {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            renew(heap, slots_[i], steps_[i].bytes);
        double time = 0;
        for (std::size_t round = 0; round < rounds; ++round)
            time += together(threads_, [&](std::size_t i) {
                slot* const mine = &slots_[(i + round) % threads_ * slots_a_thread];
                for (const step& s : steps_)
                    renew(heap, mine[s.slot], s.bytes);
            });
        const double cores = std::max(1U, std::thread::hardware_concurrency());
        const double at_once = std::min(static_cast<double>(threads_), cores);
        t.record("replace", "ns",
                 time * at_once / static_cast<double>(rounds * steps_a_round * threads_));
        if (t.cold())
            t.record_memory("resident", "bytes/object", start_, slots_.size());
        std::uint64_t sum = 0;
        for (slot& s : slots_) {
            sum += s.bytes;
            heap.deallocate(s.p, s.bytes, alignment_of_new(s.bytes));
            s.p = nullptr;
        }
        t.checksum(sum);
    }

private:
    struct slot {
        void* p;
        std::size_t bytes;
    };
    struct step {
        std::uint16_t slot, bytes;
    };
    static constexpr std::size_t slots_a_thread = 1000, steps_a_round = 100'000, rounds = 10;

    static void renew(S& heap, slot& s, std::size_t bytes) {
        if (s.p != nullptr)
            heap.deallocate(s.p, s.bytes, alignment_of_new(s.bytes));
        s = {heap.allocate(bytes, alignment_of_new(bytes)), bytes};
        *static_cast<std::uint64_t*>(s.p) = bytes;
    }

    std::size_t threads_;
    reserved<slot> slots_;
    reserved<step> steps_;
    std::optional<resident_memory> start_;
};

struct threads_scaling {
    static workload_info info() {
        const auto with = [](const char* first, const char* second = "") {
            return [=](const parameter_values& v) {
                return v.at("pattern") == first || v.at("pattern") == second;
            };
        };
        return {.name = "threads/scaling",
                .summary = "several threads use one heap: each for itself, one for the other",
                .parameters =
                    {{.name = "pattern",
                      .type = parameter::kind::choice,
                      .defaults = {"own", "handover", "handover_shuffled", "passing", "larson"},
                      .summary = "what they do: see lab/workloads/threads_scaling.cpp",
                      .choices = {"own", "handover", "handover_shuffled", "passing", "larson"},
                      .short_values = {"own", "handover_shuffled", "larson"}},
                     {.name = "threads",
                      .defaults = {"1", "2", "4"},
                      .summary = "at once",
                      .least = 1,
                      .most = static_cast<std::int64_t>(most_threads),
                      .short_values = {"2"},
                      .applies =
                          [](const parameter_values& v) {
                              return !v.at("pattern").starts_with("handover");
                          }},
                     {.name = "levels",
                      .defaults = {"9"},
                      .summary = "of each tree",
                      .least = 0,
                      .most = 12,
                      .applies = with("own")},
                     {.name = "batches",
                      .defaults = {"48"},
                      .summary = "of 32768 objects, handed over in all",
                      .least = 10,
                      .most = 100'000,
                      .applies = with("handover", "handover_shuffled")}},
                .warm_passes = 2,
                .short_warm_passes = 1,
                .ours = "arenite.affinity",
                .short_subjects = {"arenite.affinity", "arenite.ordered-synchronized", "std",
                                   "mimalloc", "jemalloc", "tcmalloc"}};
    }

    template <class S>
    static constexpr bool accepts = for_any_thread<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) {
            const std::string& pattern = t.text("pattern");
            const std::size_t threads =
                t.has("threads") ? static_cast<std::size_t>(t.integer("threads")) : 2;
            if (pattern == "own")
                own_.emplace(t, threads);
            else if (pattern == "passing")
                passing_.emplace(t, threads);
            else if (pattern == "larson")
                larson_.emplace(t, threads);
            else
                handover_.emplace(t, pattern == "handover_shuffled");
        }

        void pass(turn& t) {
            if (own_)
                own_->pass(t, heap_);
            else if (passing_)
                passing_->pass(t, heap_);
            else if (larson_)
                larson_->pass(t, heap_);
            else
                handover_->pass(t, heap_);
        }

    private:
        S heap_;
        std::optional<own_trees<S>> own_;
        std::optional<handover<S>> handover_;
        std::optional<passing<S>> passing_;
        std::optional<larson<S>> larson_;
    };
};

ARENITE_LAB_WORKLOAD(threads_scaling);

} // namespace
} // namespace arenite::lab
