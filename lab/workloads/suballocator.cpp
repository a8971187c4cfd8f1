// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

#include <algorithm>
#include <bit>
#include <set>

// The measurements of Tapia's text on the suballocator, with all allocators.
//
// suballocator/raw: elements of 64 bits by allocate(1) of an allocator: "fill" (cold, the text's
// first table), then freed in order, allocated, freed in random order, allocated, freed. Each is
// written when it is allocated. "resident" is after the fill, "resident_after" when all is freed.
//
// suballocator/set: random numbers of 64 bits are inserted into a std::set (the text's second
// table); some are looked up, all are gone through, the set is ended.
//
// Of the set, `insert`, `find`, `iterate` and `destroy` are for each element. `resident_after_trim`
// is after a trim, where a subject has one; the note `usage_reserved` is what the allocator itself
// says to hold. The notes `look_up_in_order` and `look_up_random` are the time in which a resource
// tells that it owns an element, which each free of it takes where nothing stands beside an
// element.

namespace arenite::lab {
namespace {

struct suballocator_raw {
    static workload_info info() {
        return {.name = "suballocator/raw",
                .summary = "elements of 64 bits from an allocator (seed 4, first table)",
                .parameters = {{.name = "count",
                                .defaults = {"10000000"},
                                .summary = "elements",
                                .least = 2,
                                .most = 200'000'000,
                                .full_values = {"50000000"}}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.suballocator",
                .subjects = container_subjects(),
                .touches = [](const parameter_values& values) {
                    return 64 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = serves<S, std::uint64_t>;
    template <class S>
    static constexpr bool accepts_also = serves<S, std::uint64_t>;

    template <class S>
    class on {
        using allocator = allocator_of_t<S, std::uint64_t>;

    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))}, order_{count_},
              elements_{count_}, shuffled_{count_}, start_{resident()},
              allocator_{heap_.template allocator_of<std::uint64_t>()} {
            std::iota(order_.begin(), order_.end(), 0U);
            random_source{1}.shuffle(order_);
        }

        void pass(turn& t) {
            allocate(t, "fill");
            if (t.cold()) {
                t.record_memory("resident", "bytes/element", start_, count_);
                t.note_huge_pages("in_huge_pages", start_);
                if constexpr (requires { heap_.reserved_bytes(allocator_); })
                    t.note("usage_reserved", "bytes/element",
                           static_cast<double>(heap_.reserved_bytes(allocator_)) /
                               static_cast<double>(count_));
            }
            std::uint64_t sum = free_in_order(t, "free_in_order");
            allocate(t, "allocate_again");
            if constexpr (requires { heap_.owns(allocator_, elements_[0]); })
                look_up(t);

            for (std::size_t k = 0; k < count_; ++k)
                shuffled_[k] = elements_[order_[k]];
            const stopwatch freeing;
            for (std::uint64_t* p : shuffled_)
                free(p);
            t.record("free_random", "ns/element", freeing.per(count_));

            allocate(t, "allocate_after_random");
            sum = sum * 31 + free_in_order(t, "free_after_random");
            if (t.cold()) {
                t.record_memory("resident_after", "bytes/element", start_, count_);
                if constexpr (requires { heap_.trim(allocator_); }) {
                    heap_.trim(allocator_);
                    t.record_memory("resident_after_trim", "bytes/element", start_, count_);
                }
            }
            t.checksum(sum);
        }

    private:
        using traits = std::allocator_traits<allocator>;

        void allocate(turn& t, const char* metric) {
            const stopwatch allocating;
            for (std::size_t i = 0; i < count_; ++i) {
                std::uint64_t* p = traits::allocate(allocator_, 1);
                *p = i;
                opaque(p);
                elements_[i] = p;
            }
            t.record(metric, "ns/element", allocating.per(count_));
        }

        /// Whose an address is: what precedes a free where nothing stands beside an element.
        void look_up(turn& t) {
            std::size_t found = 0;
            const stopwatch in_order;
            for (const std::uint64_t* p : elements_)
                found += heap_.owns(allocator_, p);
            t.note("look_up_in_order", "ns/element", in_order.per(count_));
            for (std::size_t k = 0; k < count_; ++k)
                shuffled_[k] = elements_[order_[k]];
            const stopwatch at_random;
            for (const std::uint64_t* p : shuffled_)
                found += heap_.owns(allocator_, p);
            t.note("look_up_random", "ns/element", at_random.per(count_));
            if (found != 2 * count_)
                throw cannot_run{"an element is not where it was allocated"};
        }

        void free(std::uint64_t* p) { traits::deallocate(allocator_, p, 1); }

        std::uint64_t free_in_order(turn& t, const char* metric) {
            std::uint64_t sum = 0;
            for (const std::uint64_t* p : elements_)
                sum += *p;
            const stopwatch freeing;
            for (std::uint64_t* p : elements_)
                free(p);
            t.record(metric, "ns/element", freeing.per(count_));
            return sum;
        }

        S heap_;
        std::size_t count_;
        reserved<std::uint32_t> order_;
        reserved<std::uint64_t*> elements_;
        reserved<std::uint64_t*> shuffled_;
        std::optional<resident_memory> start_;
        allocator allocator_;
    };
};

ARENITE_LAB_WORKLOAD(suballocator_raw);

struct suballocator_set {
    static workload_info info() {
        return {.name = "suballocator/set",
                .summary = "random numbers are inserted into a set (seed 4, second table)",
                .parameters = {{.name = "count",
                                .defaults = {"3000000"},
                                .summary = "elements",
                                .least = 1,
                                .most = 100'000'000,
                                .full_values = {"30000000"}}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.suballocator",
                .subjects = container_subjects(),
                .touches = [](const parameter_values& values) {
                    return 96 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = serves_containers<S>;
    template <class S>
    static constexpr bool accepts_also = serves_containers<S>;

    template <class S>
    class on {
        using set = std::set<std::uint64_t, std::less<>, allocator_of_t<S, std::uint64_t>>;

    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))}, numbers_{count_},
              start_{resident()} {
            random_source random{1};
            for (std::uint64_t& number : numbers_)
                number = random.below(UINT64_MAX);
        }

        void pass(turn& t) {
            set_.emplace(heap_.template allocator_of<std::uint64_t>());
            const stopwatch inserting;
            for (const std::uint64_t number : numbers_)
                set_->insert(number);
            t.record("insert", "ns/element", inserting.per(count_));
            if (t.cold()) {
                t.record_memory("resident", "bytes/element", start_, count_);
                t.note_huge_pages("in_huge_pages", start_);
            }

            const std::size_t looked_up = std::min<std::size_t>(count_, 1'000'000);
            std::uint64_t sum = 0;
            const stopwatch finding;
            for (std::size_t i = 0; i < looked_up; ++i)
                sum += *set_->find(numbers_[i]);
            t.record("find", "ns/element", finding.per(looked_up));

            const stopwatch walking;
            for (const std::uint64_t number : *set_)
                sum = std::rotl(sum, 1) ^ number;
            opaque(&sum);
            t.record("iterate", "ns/element", walking.per(count_));
            t.checksum(sum);

            const stopwatch ending;
            set_.reset();
            t.record("destroy", "ns/element", ending.per(count_));
            if (t.cold())
                t.record_memory("resident_after", "bytes/element", start_, count_);
        }

    private:
        S heap_;
        std::size_t count_;
        reserved<std::uint64_t> numbers_;
        std::optional<resident_memory> start_;
        std::optional<set> set_;
    };
};

ARENITE_LAB_WORKLOAD(suballocator_set);

} // namespace
} // namespace arenite::lab
