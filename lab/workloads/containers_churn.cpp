// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/churn: a container of `count` elements stays as large as it is while its elements come
// and go, `count` pairs a pass.
//
// pattern=list_random: a random element is erased, one is pushed back. list_fifo: the first is
// popped, one is pushed back. unordered_map: a random key is erased, a new one inserted.
// The container lives from the first pass to the last: cold are the first pairs after it was
// filled, warm the later ones. "iterate" goes through it after the pairs.

namespace arenite::lab {
namespace {

struct container_churn {
    static workload_info info() {
        return {.name = "containers/churn",
                .summary = "elements of a list or unordered_map are erased and added in pairs",
                .parameters = {{.name = "pattern",
                                .type = parameter::kind::choice,
                                .defaults = {"list_random", "list_fifo", "unordered_map"},
                                .summary = "the container, and which element goes",
                                .choices = {"list_random", "list_fifo", "unordered_map"},
                                .short_values = {"list_random"}},
                               {.name = "count",
                                .defaults = {"1000000"},
                                .summary = "elements, and pairs a pass",
                                .least = 2,
                                .most = 50'000'000,
                                .full_values = {"10000000"}}},
                .warm_passes = 3,
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
        template <class Kind>
        using container = typename Kind::template type<allocator_of_t<S, typename Kind::value>>;
        using list = container<list_kind>;
        using map = container<unordered_map_kind>;

    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              of_map_{t.text("pattern") == "unordered_map"},
              random_{t.text("pattern") == "list_random"}, victims_{count_},
              places_{random_ ? count_ : 1}, living_{of_map_ ? count_ : 1},
              list_{heap_.template allocator_of<int>()},
              map_{heap_.template allocator_of<unordered_map_kind::value>()} {
            random_source random{1};
            for (std::uint32_t& victim : victims_)
                victim = static_cast<std::uint32_t>(random.below(count_));
        }

        void pass(turn& t) {
            if (of_map_)
                pairs_of_map(t);
            else
                pairs_of_list(t);
        }

    private:
        void pairs_of_list(turn& t) {
            if (t.cold()) {
                const stopwatch filling;
                for (std::size_t i = 0; i < count_; ++i)
                    list_kind::put(list_, i);
                t.record("fill", "ns/element", filling.per(count_));
                std::size_t i = 0;
                if (random_)
                    for (auto it = list_.begin(); it != list_.end(); ++it)
                        places_[i++] = it;
            }
            const stopwatch pairing;
            if (random_) {
                for (std::size_t k = 0; k < count_; ++k) {
                    typename list::iterator& place = places_[victims_[k]];
                    list_.erase(place);
                    place = list_kind::put(list_, k);
                }
            } else {
                for (std::size_t k = 0; k < count_; ++k) {
                    list_.pop_front();
                    list_.push_back(static_cast<int>(k));
                }
            }
            t.record("pair", "ns/pair", pairing.per(count_));
            t.checksum(walk<list_kind>(t, list_));
        }

        void pairs_of_map(turn& t) {
            if (t.cold()) {
                const stopwatch filling;
                for (std::size_t i = 0; i < count_; ++i)
                    unordered_map_kind::put(map_, i);
                t.record("fill", "ns/element", filling.per(count_));
                std::iota(living_.begin(), living_.end(), 0U);
                next_ = static_cast<std::uint32_t>(count_);
            }
            std::size_t erased = 0;
            const stopwatch pairing;
            for (std::size_t k = 0; k < count_; ++k) {
                std::uint32_t& number = living_[victims_[k]];
                erased += map_.erase(unordered_map_kind::key_of(number));
                number = next_++;
                unordered_map_kind::put(map_, number);
            }
            t.record("pair", "ns/pair", pairing.per(count_));
            // The numbers go on from pass to pass; which ones live is known.
            std::uint64_t sum = walk<unordered_map_kind>(t, map_);
            for (const std::uint32_t number : living_)
                sum -= number;
            t.checksum((sum * 31 + erased) * 31 + map_.size());
        }

        template <class Kind, class C>
        std::uint64_t walk(turn& t, const C& c) {
            const stopwatch walking;
            std::uint64_t sum = 0;
            for (const auto& element : c)
                sum += Kind::number_of(element);
            opaque(&sum);
            t.record("iterate", "ns/element", walking.per(count_));
            return sum;
        }

        S heap_;
        std::size_t count_;
        bool of_map_;
        bool random_;
        reserved<std::uint32_t> victims_;
        reserved<typename list::iterator> places_; ///< of list_random
        reserved<std::uint32_t> living_;           ///< numbers in the map
        std::uint32_t next_ = 0;
        list list_;
        map map_;
    };
};

ARENITE_LAB_WORKLOAD(container_churn);

// containers/many_small: so many lists of five ints. "memory" is all of a list, the list object
// too, which an allocator makes larger that is no empty class.

struct many_small {
    static constexpr std::size_t elements = 5;

    static workload_info info() {
        return {.name = "containers/many_small",
                .summary = "many lists of five ints are made, visited, replaced, ended",
                .parameters = {{.name = "count",
                                .defaults = {"100000"},
                                .summary = "lists",
                                .least = 1,
                                .most = 10'000'000,
                                .full_values = {"1000000"}}},
                .warm_passes = 3,
                .in_short = false,
                .ours = "arenite.pool_allocator",
                .subjects = container_subjects(),
                .touches = [](const parameter_values& values) {
                    return 512 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = serves_containers<S>;
    template <class S>
    static constexpr bool accepts_also = serves_containers<S>;

    template <class S>
    class on {
        using list = list_kind::type<allocator_of_t<S, int>>;

        /// Where a list is made; reserved<T> takes what can be copied as bytes.
        struct alignas(list) list_place {
            std::byte bytes[sizeof(list)];
        };

    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))}, order_{count_}, lists_{count_},
              start_{resident()} {
            std::iota(order_.begin(), order_.end(), 0U);
            random_source{1}.shuffle(order_);
        }

        void pass(turn& t) {
            const stopwatch making;
            for (std::size_t i = 0; i < count_; ++i)
                make(i);
            t.record("make", "ns/list", making.per(count_));
            if (t.cold()) {
                if (const auto now = resident(); now && start_)
                    t.record("memory", "bytes/list",
                             sizeof(list) + (static_cast<double>(now->bytes) -
                                             static_cast<double>(start_->bytes)) /
                                                static_cast<double>(count_));
            }
            std::uint64_t sum = visit(t, "visit");
            const stopwatch replacing;
            for (std::size_t k = 0; k < count_; ++k) {
                const std::size_t i = order_[k];
                std::destroy_at(&at(i));
                make(i);
            }
            t.record("replace", "ns/list", replacing.per(count_));
            sum = sum * 31 + visit(t, "visit_replaced");
            const stopwatch ending;
            for (std::size_t i = 0; i < count_; ++i)
                std::destroy_at(&at(i));
            t.record("end", "ns/list", ending.per(count_));
            if (t.cold())
                t.record_memory("memory_after", "bytes/list", start_, count_);
            t.checksum(sum);
        }

    private:
        [[nodiscard]] list& at(std::size_t i) {
            return *std::launder(reinterpret_cast<list*>(&lists_[i]));
        }

        void make(std::size_t i) {
            list* made =
                ::new (static_cast<void*>(&lists_[i])) list{heap_.template allocator_of<int>()};
            for (std::size_t k = 0; k < elements; ++k)
                made->push_back(static_cast<int>(i + k));
        }

        std::uint64_t visit(turn& t, const char* metric) {
            const stopwatch visiting;
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count_; ++i)
                for (const int element : at(i))
                    sum += static_cast<std::uint64_t>(element);
            opaque(&sum);
            t.record(metric, "ns/list", visiting.per(count_));
            return sum;
        }

        S heap_;
        std::size_t count_;
        reserved<std::uint32_t> order_;
        reserved<list_place> lists_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(many_small);

} // namespace
} // namespace arenite::lab
