// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../workload.hpp"
#include "handle/ordering.hpp"

#include <arenite/core/budget.hpp>
#include <arenite/handle/compacting_heap.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// handle/list: a list whose nodes lie anywhere, and what putting them in order is worth.
//
// `count` nodes of 64 bytes are made and linked into one list in random order, as years of edits
// would. The list is walked ("walk_aged"). A heap that moves objects then puts them in the order of
// the list, in steps of `step` bytes ("order", and "order_step_p99" of the steps' times), and the
// list is walked again, once ("walk_first") and three times more ("walk"). Heaps that move nothing
// have pointers where the other has handles, and the same walks.
//
// handle/frames: a scene of which parts come and go.
//
// `count` such nodes in parts of 100, each a list. In each of `frames` frames ten parts go, and ten
// others are made, a node of each in turn; all parts are walked; and a heap that moves objects has
// `budget` microseconds for putting them in the order of that walk.
//
// frame_50%, frame_99%     all of a frame
// walk_early, walk_late    the median walk of the first and the last tenth of the frames
// step_50%, step_99%       of a step, whose budget is set; note step_worst. Others' time counts
//                          where they take the processor during a step
// walk_at_F, resident_at_F the median walk of a twentieth of the frames that ends at F, and what is
//                          resident then for a byte that lives (notes)
//
// `make` is the making in random order. `order` is the whole price of putting a node in its place,
// `order_step_median` and `order_step_p99` are how long a frame waits for one step; what it buys is
// `walk_aged` less `walk`.

namespace arenite::lab {
namespace {

constexpr std::size_t node_bytes = 64;

/// Nodes of a heap that moves nothing, and pointers to them.
template <class S>
class still_nodes {
public:
    struct node {
        node* next;
        std::uint64_t value;
        std::byte more[node_bytes - sizeof(node*) - sizeof(std::uint64_t)];
    };
    using link = node*;

    link make(std::uint64_t value) { return heap_.make({nullptr, value, {}}); }
    void end(link n) { heap_.end(n); }
    static node* at(link n) { return n; }

private:
    still_heap<S, node> heap_;
};

/// Nodes of one that moves them.
template <class S>
class moving_nodes {
public:
    struct node {
        handle<node> next;
        std::uint64_t value;
        std::byte more[node_bytes - sizeof(handle<node>) - sizeof(std::uint64_t)];
    };
    using link = handle<node>;

    link make(std::uint64_t value) { return heap_.template make<node>(node{{}, value, {}}); }
    void end(const link& n) { heap_.destroy(n); }
    static node* at(const link& n) { return n.get(); }

    /// Goes on with an order; true if it has come to its end.
    template <class Visit>
    bool step(Visit& visit, const budget& limit) {
        return heap_.step(visit, limit).finished();
    }

    /// Puts the list in order; the times of the steps.
    void order(turn& t, link& head, std::size_t count, std::size_t step_bytes) {
        link* next = &head;
        link here;
        const auto visit = [&]() -> link* {
            link* const found = next != nullptr ? std::exchange(next, nullptr) : &here->next;
            here = *found;
            return here ? found : nullptr;
        };
        ordering done = put_in_order(heap_, visit, step_bytes);
        t.record("order", "ns/node", done.nanoseconds / static_cast<double>(count));
        std::vector<double>& steps = done.steps;
        std::sort(steps.begin(), steps.end());
        t.record("order_step_median", "ns", steps[steps.size() / 2]);
        t.record("order_step_p99", "ns", steps[steps.size() * 99 / 100]);
        t.note("moves", "a node", static_cast<double>(done.moves) / static_cast<double>(count));
    }

private:
    typename S::moving_heap heap_{S::options()};
};

template <class S>
struct nodes_for {
    using type = still_nodes<S>;
};
template <moves_objects S>
struct nodes_for<S> {
    using type = moving_nodes<S>;
};
template <class S>
using nodes_of = typename nodes_for<S>::type;

struct handle_list {
    static workload_info info() {
        return {.name = "handle/list",
                .summary = "a list in random order is put in order by handles, and walked",
                .parameters = {{.name = "count",
                                .defaults = {"1000000"},
                                .summary = "nodes of 64 bytes",
                                .least = 2,
                                .most = 100'000'000},
                               {.name = "step",
                                .defaults = {"16384"},
                                .summary = "bytes that a step may move",
                                .least = 1}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.compacting",
                .subjects = {"arenite.compacting", "arenite.compacting.room", "arenite.ordered",
                             "malloc", "mimalloc"},
                .touches = [](const parameter_values& values) {
                    return 256 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts_also = moves_objects<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              step_{static_cast<std::size_t>(t.integer("step"))}, order_{count_}, links_{count_} {}

        void pass(turn& t) {
            const stopwatch making;
            for (std::size_t i = 0; i < count_; ++i)
                links_[i] = nodes_.make(i);
            t.record("make", "ns/node", making.per(count_));
            for (std::size_t k = 0; k + 1 < count_; ++k)
                nodes::at(links_[order_[k]])->next = links_[order_[k + 1]];
            head_ = links_[order_[0]];

            walk(t, "walk_aged");
            if constexpr (moves_objects<S>)
                nodes_.order(t, head_, count_, step_);
            walk(t, "walk_first");
            for (int i = 0; i < 3; ++i)
                walk(t, "walk");
            for (std::size_t i = 0; i < count_; ++i)
                nodes_.end(links_[i]);
        }

    private:
        using nodes = nodes_of<S>;

        void walk(turn& t, const char* metric) {
            std::uint64_t sum = 0;
            std::uint64_t place = 0;
            const stopwatch walking;
            for (auto* n = nodes::at(head_); n != nullptr; n = nodes::at(n->next))
                sum += n->value ^ ++place;
            t.record(metric, "ns/node", walking.per(count_));
            t.checksum(sum);
        }

        std::size_t count_;
        std::size_t step_;
        shuffled_numbers order_;
        reserved<typename nodes::link> links_;
        nodes nodes_;
        typename nodes::link head_{};
    };
};

/// The walk of handle/frames, as an order that goes on from frame to frame: it holds links alone.
template <class Nodes>
class parts_in_order {
    using link = typename Nodes::link;

public:
    explicit parts_in_order(std::vector<link>& heads) : heads_{&heads} {}

    link* operator()() {
        if (auto* const n = Nodes::at(here_); n != nullptr && n->next) {
            here_ = n->next;
            return &n->next;
        }
        if (part_ == heads_->size())
            return nullptr;
        here_ = (*heads_)[part_];
        return &(*heads_)[part_++];
    }

private:
    std::vector<link>* heads_;
    std::size_t part_ = 0;
    link here_{};
};

struct handle_frames {
    static workload_info info() {
        return {.name = "handle/frames",
                .summary = "parts of a scene come and go; a little of it is ordered each frame",
                .parameters = {{.name = "count",
                                .defaults = {"100000"},
                                .summary = "nodes of 64 bytes",
                                .least = 1000,
                                .most = 100'000'000},
                               {.name = "frames",
                                .defaults = {"600"},
                                .summary = "frames of a pass",
                                .least = 10,
                                .most = 1'000'000},
                               {.name = "budget",
                                .defaults = {"500"},
                                .summary = "microseconds a frame for moving",
                                .least = 1,
                                .most = 1'000'000}},
                .warm_passes = 0,
                .in_short = false,
                .ours = "arenite.compacting",
                .subjects = {"arenite.compacting", "arenite.compacting.room", "arenite.ordered",
                             "malloc", "mimalloc"},
                .touches = [](const parameter_values& values) {
                    return 256 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts_also = moves_objects<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : frames_{static_cast<std::size_t>(t.integer("frames"))},
              budget_ns_{static_cast<std::uint64_t>(t.integer("budget")) * 1000},
              heads_(static_cast<std::size_t>(t.integer("count")) / nodes_a_part) {}

        void pass(turn& t) {
            random_source random{1};
            std::vector<std::size_t> some(heads_.size());
            std::iota(some.begin(), some.end(), std::size_t{0});
            const std::optional<resident_memory> start = resident();
            make(some);
            some.resize(parts_a_frame);
            std::vector<double> whole, walking, steps;
            whole.reserve(frames_);
            walking.reserve(frames_);
            steps.reserve(frames_);
            parts_in_order<nodes> visit{heads_};
            for (std::size_t f = 0; f != frames_; ++f) {
                const stopwatch frame;
                const auto first = static_cast<std::size_t>(random.below(heads_.size()));
                for (std::size_t i = 0; i != some.size(); ++i) // here and there, each once
                    some[i] = (first + i * heads_.size() / parts_a_frame) % heads_.size();
                for (const std::size_t part : some)
                    end(part);
                make(some);
                const stopwatch walk;
                t.checksum(sum());
                walking.push_back(walk.per(heads_.size() * nodes_a_part));
                if constexpr (moves_objects<S>) {
                    const stopwatch step;
                    const bool finished = nodes_.step(visit, budget{.nanoseconds = budget_ns_});
                    steps.push_back(step.nanoseconds() / 1000);
                    if (finished)
                        visit = parts_in_order<nodes>{heads_};
                }
                whole.push_back(frame.nanoseconds() / 1000);
                if ((f + 1) * twentieths / frames_ != f * twentieths / frames_)
                    tell_moment(t, f + 1, walking, start);
            }
            const auto tenth = static_cast<std::ptrdiff_t>(frames_ / 10);
            t.record("walk_early", "ns/node", median(walking.begin(), walking.begin() + tenth));
            t.record("walk_late", "ns/node", median(walking.end() - tenth, walking.end()));
            std::sort(whole.begin(), whole.end());
            t.record("frame_50%", "us", whole[frames_ / 2]);
            t.record("frame_99%", "us", whole[frames_ * 99 / 100]);
            if (!steps.empty()) {
                std::sort(steps.begin(), steps.end());
                t.record("step_50%", "us", steps[frames_ / 2]);
                t.record("step_99%", "us", steps[frames_ * 99 / 100]);
                t.note("step_worst", "us", steps.back());
            }
            for (std::size_t part = 0; part != heads_.size(); ++part)
                end(part);
        }

    private:
        using nodes = nodes_of<S>;
        using link = typename nodes::link;
        static constexpr std::size_t nodes_a_part = 100;
        static constexpr std::size_t parts_a_frame = 10;

        static constexpr std::size_t twentieths = 20;

        /// Tells of the frames of the twentieth that ends now.
        void tell_moment(turn& t, std::size_t frame, const std::vector<double>& walking,
                         const std::optional<resident_memory>& start) const {
            const std::string at = "_at_" + std::to_string(frame);
            const std::size_t last = std::max<std::size_t>(1, frames_ / twentieths);
            std::vector<double> some(walking.end() - static_cast<std::ptrdiff_t>(last),
                                     walking.end());
            t.note("walk" + at, "ns/node", median(some.begin(), some.end()));
            const double live = static_cast<double>(heads_.size() * nodes_a_part * node_bytes);
            if (const auto now = resident(); now && start)
                t.note("resident" + at, "bytes/byte",
                       (static_cast<double>(now->bytes) - static_cast<double>(start->bytes)) /
                           live);
        }

        /// A node of each part in turn.
        void make(const std::vector<std::size_t>& parts) {
            for (std::size_t i = 0; i != nodes_a_part; ++i) {
                for (const std::size_t part : parts) {
                    const link made = nodes_.make(i);
                    nodes::at(made)->next = std::exchange(heads_[part], made);
                }
            }
        }
        void end(std::size_t part) {
            link at = std::exchange(heads_[part], link{});
            while (auto* const n = nodes::at(at))
                nodes_.end(std::exchange(at, link{n->next}));
        }
        [[nodiscard]] std::uint64_t sum() const {
            std::uint64_t sum = 0;
            for (const link& head : heads_) {
                for (auto* n = nodes::at(head); n != nullptr; n = nodes::at(n->next))
                    sum = sum * 3 + n->value;
            }
            return sum;
        }
        template <class I>
        static double median(I begin, I end) {
            std::sort(begin, end);
            return begin[(end - begin) / 2];
        }

        std::size_t frames_;
        std::uint64_t budget_ns_;
        std::vector<link> heads_;
        nodes nodes_;
    };
};

ARENITE_LAB_WORKLOAD(handle_list);
ARENITE_LAB_WORKLOAD(handle_frames);

} // namespace
} // namespace arenite::lab
