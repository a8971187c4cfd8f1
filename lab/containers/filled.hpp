// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../probes/random.hpp"
#include "../workload.hpp"
#include "kinds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// containers/{forward_list,list,set,map,unordered_map}: one container of `count` elements.
//
// part=time: a new container is filled ("fill"; cold, its memory is new to the process), gone
// through, cleared, filled again ("refill": memory was kept or not, as the allocator does it); a
// random half is erased in random order (from a forward_list, in its order) and added again; it is
// gone through once more ("iterate_aged"), cleared, filled ("refill_aged": memory that was freed in
// no order), and ended. Sets and maps are filled in ascending order; erased elements are added
// again in the order in which they were erased.
//
// part=memory, one pass: what is resident when the container is full; after clear(); after clear()
// and trim. Then, each time of a full container, in percent of what that had resident:
//     random_99       a random 99 % erased, in random order; _trimmed: after trim besides
//     page_bound      the share of 4 KiB pages that hold one of those left, were nodes packed: who
//                     moves no node gives back no more
//     turnovers       then twice as many times as there are left: a random one erased, one added;
//                     trim
//     batches         or: twenty times a tenth of them erased, then as many added, the tenths in
//                     turn, so that all were replaced twice; trim
//     clustered_99    all erased but one percent in a row; _trimmed
// A subject that has no trim shows the same without. A forward_list cannot erase at random, so no
// turnovers and batches.

namespace arenite::lab {

/// Subjects that the workloads with containers run on where none is named.
[[nodiscard]] inline std::vector<std::string> container_subjects() {
    return {"arenite.pool_allocator",
            "arenite.pool_allocator-4k",
            "arenite.container_pool",
            "arenite.suballocator",
            "arenite.suballocator-4k",
            "arenite.suballocator-shared",
            "arenite.suballocator-over-std",
            "std",
            "std-thp",
            "mimalloc",
            "mimalloc-4k",
            "mimalloc.global",
            "mimalloc-2",
            "mimalloc-packaged",
            "jemalloc",
            "jemalloc-thp",
            "tcmalloc",
            "boost.fast_pool",
            "boost.adaptive_pool",
            "foonathan.node_pool",
            "pmr.pool"};
}
[[nodiscard]] inline std::vector<std::string> short_container_subjects() {
    return {"arenite.pool_allocator", "std", "mimalloc", "boost.fast_pool"};
}

template <class Kind>
struct filled {
    static workload_info info() {
        std::vector<parameter> parameters{{.name = "part",
                                           .type = parameter::kind::choice,
                                           .defaults = {"time", "memory"},
                                           .summary = "what is looked at",
                                           .choices = {"time", "memory"},
                                           .short_values = {"time"}}};
        if constexpr (Kind::two_ends)
            parameters.push_back({.name = "end",
                                  .type = parameter::kind::choice,
                                  .defaults = {"back"},
                                  .summary = "where it is filled from",
                                  .choices = {"back", "front"}});
        parameters.push_back({.name = "count",
                              .defaults = {"1000000"},
                              .summary = "elements",
                              .least = 100,
                              .most = 50'000'000,
                              .full_values = {"10000000"}});
        return {.name = Kind::name,
                .summary = Kind::summary,
                .parameters = std::move(parameters),
                .warm_passes = 2,
                .short_warm_passes = 1,
                .in_short = Kind::in_short,
                .ours = "arenite.pool_allocator",
                .subjects = container_subjects(),
                .short_subjects = short_container_subjects(),
                .touches = [](const parameter_values& values) {
                    return 160 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = serves_containers<S>;
    template <class S>
    static constexpr bool accepts_also = serves_containers<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              memory_{t.text("part") == "memory"}, front_{t.has("end") && t.text("end") == "front"},
              order_{count_}, numbers_{count_}, places_{Kind::singly_linked ? 1 : count_},
              goes_{Kind::singly_linked ? count_ : 1}, start_{resident()} {
            std::iota(order_.begin(), order_.end(), 0U);
            random_source{1}.shuffle(order_);
        }

        void pass(turn& t) {
            if (!memory_)
                time(t);
            else if (t.cold())
                memory(t);
        }

    private:
        using allocator = allocator_of_t<S, typename Kind::value>;
        using container = typename Kind::template type<allocator>;
        using place = typename container::iterator;
        static constexpr bool singly_linked = Kind::singly_linked;

        void time(turn& t) {
            renew();
            fill(t, "fill");
            walk(t, "iterate");
            clear(t, "clear");
            fill(t, "refill");

            const std::size_t half = count_ / 2;
            gather();
            choose(0, half);
            const stopwatch erasing;
            erase(half);
            t.record("erase_half", "ns/element", erasing.per(half));
            const stopwatch adding;
            for (std::size_t k = 0; k < half; ++k)
                Kind::put(*container_, numbers_[order_[k]]);
            t.record("refill_half", "ns/element", adding.per(half));
            const std::uint64_t sum = walk(t, "iterate_aged");
            clear(t, "clear_aged");
            fill(t, "refill_aged");
            const stopwatch ending;
            container_.reset();
            t.record("destroy", "ns/element", ending.per(count_));
            t.checksum(sum);
        }

        void memory(turn& t) {
            renew();
            fill();
            const std::uint64_t sum = walk();
            t.record_memory("resident", "bytes/element", start_, count_);
            t.note_huge_pages("in_huge_pages", start_);
            if constexpr (requires { heap_.reserved_bytes(*container_); })
                t.note("usage_reserved", "bytes/element",
                       static_cast<double>(heap_.reserved_bytes(*container_)) /
                           static_cast<double>(count_));
            container_->clear();
            t.record_memory("resident_after_clear", "bytes/element", start_, count_);
            trim();
            t.record_memory("resident_after_trim", "bytes/element", start_, count_);

            const std::size_t left = std::max<std::size_t>(count_ / 100, 1);
            fill_and_thin_out(t, left, "random_99", "random_99_trimmed");
            const double kept =
                std::pow(1 - static_cast<double>(left) / static_cast<double>(count_),
                         4096.0 / static_cast<double>(node_bytes<Kind>()));
            t.note("page_bound", "%", 100 * (1 - kept));
            if constexpr (!singly_linked) {
                turn_over(left);
                trim();
                record_left(t, "turnovers");
                container_->clear();
                fill_and_thin_out(t, left, "", "");
                turn_over_in_tenths(left);
                trim();
                record_left(t, "batches");
            }
            container_->clear();

            fill();
            full_ = resident();
            gather();
            const std::size_t first = (count_ - left) / 2;
            for (std::size_t i = 0; i < count_; ++i) {
                if constexpr (singly_linked)
                    goes_[i] = i < first || i >= first + left;
                else if (i < first || i >= first + left)
                    container_->erase(places_[i]);
            }
            if constexpr (singly_linked)
                erase(count_ - left);
            record_left(t, "clustered_99");
            trim();
            record_left(t, "clustered_99_trimmed");
            container_.reset();
            t.record_memory("resident_after_end", "bytes/element", start_, count_);
            t.checksum(sum);
        }

        void renew() { container_.emplace(heap_.template allocator_of<typename Kind::value>()); }

        void fill() {
            if constexpr (Kind::two_ends) {
                if (front_) {
                    for (std::size_t i = 0; i < count_; ++i)
                        container_->push_front(static_cast<int>(i));
                    return;
                }
            }
            container& c = *container_;
            for (std::size_t i = 0; i < count_; ++i)
                Kind::put(c, i);
        }

        void fill(turn& t, const char* metric) {
            const stopwatch filling;
            fill();
            t.record(metric, "ns/element", filling.per(count_));
        }

        void clear(turn& t, const char* metric) {
            const stopwatch clearing;
            container_->clear();
            t.record(metric, "ns/element", clearing.per(count_));
        }

        std::uint64_t walk() {
            std::uint64_t sum = 0;
            for (const auto& element : *container_)
                sum += Kind::number_of(element);
            opaque(&sum);
            return sum;
        }

        std::uint64_t walk(turn& t, const char* metric) {
            const stopwatch walking;
            const std::uint64_t sum = walk();
            t.record(metric, "ns/element", walking.per(count_));
            return sum;
        }

        /// Notes where the elements are, in the container's order.
        void gather() {
            std::size_t i = 0;
            for (auto it = container_->begin(); it != container_->end(); ++it, ++i) {
                if constexpr (!singly_linked)
                    places_[i] = it;
                numbers_[i] = static_cast<std::uint32_t>(Kind::number_of(*it));
            }
        }

        /// In a forward_list: which elements go, those at order_[first, last).
        void choose(std::size_t first, std::size_t last) {
            if constexpr (singly_linked) {
                std::fill(goes_.begin(), goes_.end(), false);
                for (std::size_t k = first; k < last; ++k)
                    goes_[order_[k]] = true;
            }
        }

        /// The elements at order_[0, n) in this order; of a forward_list, those that were chosen.
        void erase([[maybe_unused]] std::size_t n) {
            if constexpr (singly_linked) {
                auto before = container_->before_begin();
                for (std::size_t i = 0; i < count_; ++i) {
                    if (goes_[i])
                        container_->erase_after(before);
                    else
                        ++before;
                }
            } else {
                for (std::size_t k = 0; k < n; ++k)
                    container_->erase(places_[order_[k]]);
            }
        }

        void trim() {
            if constexpr (requires { heap_.trim(*container_); })
                heap_.trim(*container_);
        }

        void record_left(turn& t, const char* metric) {
            const auto now = resident();
            if (start_ && full_ && now && full_->bytes > start_->bytes)
                t.record(
                    metric, "% of full",
                    100 * (static_cast<double>(now->bytes) - static_cast<double>(start_->bytes)) /
                        static_cast<double>(full_->bytes - start_->bytes));
        }

        void fill_and_thin_out(turn& t, std::size_t left, const char* metric,
                               const char* metric_trimmed) {
            fill();
            full_ = resident();
            gather();
            choose(0, count_ - left);
            erase(count_ - left);
            next_ = 0;
            if (*metric != '\0')
                record_left(t, metric);
            trim();
            if (*metric != '\0')
                record_left(t, metric_trimmed);
        }

        /// A random one of those left is erased and one that was erased before is added: twice as
        /// often as there are left.
        void turn_over(std::size_t left) {
            const std::uint32_t* living = order_.begin() + (count_ - left);
            for (std::size_t i = 0; i < 2 * left; ++i) {
                place& where = places_[living[random_.below(left)]];
                container_->erase(where);
                add_again(where, left);
            }
        }

        /// Among those left, each tenth is erased and then as many added, twice.
        void turn_over_in_tenths(std::size_t left) {
            const std::uint32_t* living = order_.begin() + (count_ - left);
            for (std::size_t tenth = 0; tenth < 20; ++tenth) {
                const std::size_t first = left * (tenth % 10) / 10;
                const std::size_t last = left * (tenth % 10 + 1) / 10;
                for (std::size_t k = first; k < last; ++k)
                    container_->erase(places_[living[k]]);
                for (std::size_t k = first; k < last; ++k)
                    add_again(places_[living[k]], left);
            }
        }

        /// The next of those that went.
        void add_again(place& where, std::size_t left) {
            where = Kind::put(*container_, numbers_[order_[next_++ % (count_ - left)]]);
        }

        S heap_;
        std::size_t count_;
        bool memory_;
        bool front_;
        reserved<std::uint32_t> order_;   ///< a random permutation: the first go, the last stay
        reserved<std::uint32_t> numbers_; ///< of the elements, in the container's order
        reserved<place> places_;          ///< of the elements, in the container's order
        reserved<bool> goes_;             ///< of a forward_list: whether an element is to go
        std::optional<resident_memory> start_;
        std::optional<resident_memory> full_;
        random_source random_{2};
        std::size_t next_ = 0; ///< of the elements that went, the next that is added
        std::optional<container> container_;
    };
};

} // namespace arenite::lab
