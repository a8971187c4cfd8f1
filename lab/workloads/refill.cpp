// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/latency.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

// order/refill: what an aged heap does to the order of new objects.
//
// pattern=random: `count` objects are allocated; a random half is freed in random order; as many
// are allocated again and linked into a list in the order of their allocation; the list is walked;
// then, many times, a random object is freed and another allocated. pattern=holes: 24-byte objects
// of which every other one is freed, so that no hole is larger than one of them; then requests of
// 64 bytes, none of which fits a hole, then 24 and 64 bytes in turn, then 64 bytes again with each
// request timed by itself.
//
// An object is written when it is allocated (its first 16 bytes) and not touched when it is freed.
// Pools take part where all objects are of one size.
//
// `fill`, `free_random`, `allocate_again` and `release` are for each object; `walk` shows the order
// of what was allocated again: it is low where an aged heap still hands out neighbours.
// `steady_pair` is a free and an allocation. `large_among_holes` and `alternating` are for each
// request of pattern=holes, `large_99.9%` and the note `large_worst` of those timed by themselves:
// a search through useless holes shows there. `resident_full`, `resident_aged` and
// `resident_after`: when all live, after the pairs, and when all is freed.

namespace arenite::lab {
namespace {

struct object {
    object* next;
    std::uint64_t value;
};

/// The random sequence of a turn, made once; the same in each pass.
struct sequence {
    explicit sequence(std::size_t count)
        : order{count}, victims{count}, sizes{count}, new_sizes{count} {
        random_source random{1};
        std::iota(order.begin(), order.end(), 0U);
        random.shuffle(order);
        for (std::uint32_t& victim : victims)
            victim = static_cast<std::uint32_t>(random.below(count));
        for (std::uint8_t& size : sizes)
            size = mixed_size(random);
        for (std::uint8_t& size : new_sizes)
            size = mixed_size(random);
    }

    static std::uint8_t mixed_size(random_source& random) {
        return static_cast<std::uint8_t>(24 + 8 * random.below(8)); // 24, 32 ... 80
    }

    reserved<std::uint32_t> order;    ///< the first half of it is freed
    reserved<std::uint32_t> victims;  ///< of the steady pairs
    reserved<std::uint8_t> sizes;     ///< of each object at first
    reserved<std::uint8_t> new_sizes; ///< of each object allocated in its turn later
};

/// Objects of one size, which the code that allocates them knows when it is compiled.
struct uniform_sizes {
    static constexpr std::size_t bytes = 48;
    explicit uniform_sizes(const sequence&) {}
    void restart(const sequence&) {}
    [[nodiscard]] static constexpr std::size_t of(std::size_t) { return bytes; }
    [[nodiscard]] static constexpr std::size_t renew(std::size_t, std::size_t, const sequence&) {
        return bytes;
    }
};

/// Objects of 24 to 80 bytes, a multiple of 8, at random.
struct mixed_sizes {
    explicit mixed_sizes(const sequence& s) : now{s.sizes.size()} {}
    void restart(const sequence& s) { std::copy(s.sizes.begin(), s.sizes.end(), now.begin()); }
    [[nodiscard]] std::size_t of(std::size_t i) const { return now[i]; }
    /// The size of object i from its k-th renewal on.
    std::size_t renew(std::size_t i, std::size_t k, const sequence& s) {
        return now[i] = s.new_sizes[k];
    }
    reserved<std::uint8_t> now;
};

struct refill {
    static workload_info info() {
        return {
            .name = "order/refill",
            .summary = "a random half of the objects is freed and allocated again as a list",
            .parameters = {{.name = "pattern",
                            .type = parameter::kind::choice,
                            .defaults = {"random", "holes"},
                            .summary = "random: free a random half; holes: free every other "
                                       "24-byte object, then ask for 64 bytes",
                            .choices = {"random", "holes"}},
                           {.name = "sizes",
                            .type = parameter::kind::choice,
                            .defaults = {"uniform", "mixed"},
                            .summary = "with pattern=random: uniform, 48 bytes; mixed, 24 to 80",
                            .choices = {"uniform", "mixed"},
                            .short_values = {"uniform"},
                            .applies =
                                [](const parameter_values& values) {
                                    return values.at("pattern") == "random";
                                }},
                           {.name = "count",
                            .defaults = {"1000000"},
                            .summary = "objects; with pattern=holes, holes",
                            .least = 2,
                            .most = 100'000'000}},
            .warm_passes = 2,
            .one_size =
                [](const parameter_values& values) {
                    return values.at("pattern") == "random" && values.at("sizes") == "uniform";
                },
            .touches =
                [](const parameter_values& values) {
                    return 256 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts_also = one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              holes_{t.text("pattern") == "holes"}, mixed_{!holes_ && t.text("sizes") == "mixed"},
              objects_{holes_ ? 2 * count_ : count_}, requests_{holes_ ? count_ : 0},
              sequence_{holes_ ? 1 : count_}, mixed_sizes_{sequence_}, uniform_sizes_{sequence_},
              latencies_{requests_.size()}, start_{resident()} {}

        void pass(turn& t) {
            if constexpr (!one_size<S>) {
                if (holes_)
                    return holes(t);
                if (mixed_)
                    return random_half(t, mixed_sizes_);
            }
            random_half(t, uniform_sizes_);
        }

    private:
        object* make(std::size_t bytes, std::uint64_t value) {
            object* o = static_cast<object*>(heap_.allocate(bytes, alignof(object)));
            *o = {nullptr, value};
            opaque(o);
            return o;
        }

        void free(object* o, std::size_t bytes) { heap_.deallocate(o, bytes, alignof(object)); }

        template <class Sizes>
        void random_half(turn& t, Sizes& sizes) {
            const std::size_t half = count_ / 2;
            sizes.restart(sequence_);

            const stopwatch filling;
            for (std::size_t i = 0; i < count_; ++i)
                objects_[i] = make(sizes.of(i), i);
            t.record("fill", "ns/object", filling.per(count_));
            if (t.cold()) {
                t.record_memory("resident_full", "bytes/object", start_, count_);
                t.note_huge_pages("in_huge_pages", start_);
            }

            const stopwatch freeing;
            for (std::size_t k = 0; k < half; ++k) {
                const std::size_t i = sequence_.order[k];
                free(objects_[i], sizes.of(i));
            }
            t.record("free_random", "ns/object", freeing.per(half));

            object head{nullptr, 0};
            const stopwatch allocating;
            object* last = &head;
            for (std::size_t k = 0; k < half; ++k) {
                const std::size_t i = sequence_.order[k];
                object* o = make(sizes.renew(i, k, sequence_), count_ + k);
                last->next = o;
                last = o;
                objects_[i] = o;
            }
            t.record("allocate_again", "ns/object", allocating.per(half));

            const stopwatch walking;
            std::uint64_t sum = 0;
            for (const object* o = head.next; o != nullptr; o = o->next)
                sum = sum * 31 + o->value;
            opaque(&sum);
            t.record("walk", "ns/object", walking.per(half));

            const stopwatch pairing;
            for (std::size_t k = 0; k < count_; ++k) {
                const std::size_t i = sequence_.victims[k];
                free(objects_[i], sizes.of(i));
                objects_[i] = make(sizes.renew(i, k, sequence_), 2 * count_ + k);
            }
            t.record("steady_pair", "ns/pair", pairing.per(count_));
            if (t.cold())
                t.record_memory("resident_aged", "bytes/object", start_, count_);

            for (std::size_t i = 0; i < count_; ++i)
                sum = sum * 31 + objects_[i]->value;
            const stopwatch releasing;
            for (std::size_t i = 0; i < count_; ++i)
                free(objects_[i], sizes.of(i));
            t.record("release", "ns/object", releasing.per(count_));
            if (t.cold())
                t.record_memory("resident_after", "bytes/object", start_, count_);
            t.checksum(sum);
        }

        void holes(turn& t) {
            constexpr std::size_t small = 24;
            constexpr std::size_t large = 64;
            std::uint64_t sum = 0;

            for (std::size_t i = 0; i < 2 * count_; ++i)
                objects_[i] = make(small, i);
            for (std::size_t i = 1; i < 2 * count_; i += 2)
                free(objects_[i], small);

            const stopwatch requesting;
            for (std::size_t k = 0; k < count_; ++k)
                requests_[k] = make(large, k);
            t.record("large_among_holes", "ns/request", requesting.per(count_));

            for (std::size_t k = 0; k < count_; ++k) {
                sum = sum * 31 + requests_[k]->value;
                free(requests_[k], large);
            }

            const stopwatch alternating;
            for (std::size_t k = 0; k + 1 < count_; k += 2) {
                requests_[k] = make(small, k);
                requests_[k + 1] = make(large, k + 1);
            }
            t.record("alternating", "ns/request", alternating.per(count_ & ~std::size_t{1}));

            for (std::size_t k = 0; k + 1 < count_; k += 2) {
                sum = sum * 31 + requests_[k]->value;
                sum = sum * 31 + requests_[k + 1]->value;
                free(requests_[k], small);
                free(requests_[k + 1], large);
            }
            // once more, each request by itself: the longest search for a place
            for (std::size_t k = 0; k < count_; ++k)
                latencies_.time(k, [&] { requests_[k] = make(large, k); });
            t.record("large_99.9%", "ns", latencies_.percentile(0.999));
            t.note("large_worst", "ns", latencies_.percentile(1));
            for (std::size_t k = 0; k < count_; ++k)
                free(requests_[k], large);

            for (std::size_t i = 0; i < 2 * count_; i += 2) {
                sum = sum * 31 + objects_[i]->value;
                free(objects_[i], small);
            }
            if (t.cold())
                t.record_memory("resident_after", "bytes/hole", start_, count_);
            t.checksum(sum);
        }

        heap_for<S, uniform_sizes::bytes, alignof(object)> heap_;
        std::size_t count_;
        bool holes_;
        bool mixed_;
        reserved<object*> objects_;
        reserved<object*> requests_;
        sequence sequence_;
        mixed_sizes mixed_sizes_;
        uniform_sizes uniform_sizes_;
        latencies latencies_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(refill);

} // namespace
} // namespace arenite::lab
