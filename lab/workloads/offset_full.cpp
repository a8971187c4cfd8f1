// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// offset/mix and offset/streaming: device memory that is held nearly full.
//
// Parts are allocated until `load` of the capacity is in use, and then one is freed at random for
// each that is allocated, 300,000 times; while more than `load` is in use, another one goes.
//   mix           buffers of 1 KiB to 1 MiB at 256, textures with their mips of 64 KiB to 16 MiB at
//                 4 KiB, and transient targets of 1 to 32 MiB at 64 KiB, which go after 30 steps
//   streaming     textures of 64 KiB to 16 MiB by powers of two and their mips (a third more), at
//                 64 KiB; those that go were loaded one after the other
// `load=free` has no capacity to speak of: what counts is the high water over what lives.
//
// refused       requests that failed, of a hundred; after moves, where the subject makes them
// high water    the end of the highest part that ever was, over the most bytes in use (load=free)
// copied        bytes moved for one requested (moves=on), a note
//
// The picture is of the range after the last request, 0.9 of it in use.

namespace arenite::lab {
namespace {

enum class scene { mix, streaming };

template <scene Scene>
struct offset_full {
    static workload_info info() {
        return {
            .name = Scene == scene::mix ? "offset/mix" : "offset/streaming",
            .summary = Scene == scene::mix
                           ? "buffers, mips and transient targets in a range that is nearly full"
                           : "streamed textures in a range that is nearly full",
            .parameters = {{.name = "load",
                            .type = parameter::kind::choice,
                            .defaults = {"free", "0.9", "0.95"},
                            .summary = "of the capacity that is in use",
                            .choices = {"free", "0.9", "0.95"}},
                           {.name = "moves",
                            .type = parameter::kind::choice,
                            .defaults = {"off"},
                            .summary = "what would fail asks for room to be made",
                            .choices = {"off", "on"},
                            .applies =
                                [](const parameter_values& values) {
                                    return values.at("load") != "free";
                                }},
                           {.name = "capacity",
                            .defaults = {"4096"},
                            .summary = "MiB",
                            .least = 64,
                            .most = 1 << 20}},
            .warm_passes = 0,
            .in_short = false,
            .ours = "arenite.offset",
            .has_maps_of_all = true,
            .subjects = {"arenite.offset", "vma", "vma.min_memory", "best_fit", "memory_slots"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = serves_offsets<S>;

    template <class S>
    class on {
        using offsets = typename S::offsets;
        static constexpr bool moves =
            requires(offsets& o) { o.make_room(1, 1, [](auto, auto, auto) {}); };

    public:
        explicit on(turn& t)
            : moving_{t.has("moves") && t.text("moves") == "on"}, free_{t.text("load") == "free"},
              capacity_{static_cast<std::uint64_t>(t.integer("capacity")) << 20},
              most_{free_ ? capacity_ / 2
                          : static_cast<std::uint64_t>(std::stod(t.text("load")) *
                                                       static_cast<double>(capacity_))} {
            if (moving_ && !moves)
                throw cannot_run{"this makes no moves"};
        }

        void pass(turn& t) {
            offsets range{free_ ? capacity_ * 4 : capacity_, 256};
            random_source random{7};
            std::vector<live_part> parts; // by owner; `bytes` 0: free
            std::vector<std::size_t> order, vacant;
            std::uint64_t used = 0, most = 0, high = 0, asked = 0, copied = 0;
            std::size_t refused = 0, step = 0;
            std::size_t next_transient = 0;
            std::vector<std::pair<std::size_t, std::size_t>> transients; // step, owner
            const auto release = [&](std::size_t owner) {
                range.deallocate(*parts[owner].part);
                used -= parts[owner].bytes;
                parts[owner] = {};
                vacant.push_back(owner);
            };
            for (; step < steps; ++step) {
                const request r = next(random);
                for (; next_transient < transients.size() &&
                       transients[next_transient].first + 30 < step;
                     ++next_transient)
                    release(transients[next_transient].second);
                while (used + r.bytes > most_ && !order.empty()) {
                    const std::size_t at =
                        Scene == scene::mix ? static_cast<std::size_t>(random.below(order.size()))
                                            : static_cast<std::size_t>(random.below(
                                                  std::min<std::size_t>(order.size(), 16)));
                    release(order[at]);
                    if (Scene == scene::mix) {
                        order[at] = order.back();
                        order.pop_back();
                    } else {
                        order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
                    }
                }
                if (used + r.bytes > most_)
                    continue; // transient targets alone: none goes before its time
                const std::size_t owner = vacant.empty() ? parts.size() : vacant.back();
                auto p = range.allocate(r.bytes, r.alignment, owner);
                if constexpr (moves) {
                    if (!p && moving_) {
                        range.make_room(r.bytes, r.alignment,
                                        [&](std::uint64_t who, const auto& to, std::uint64_t n) {
                                            parts[static_cast<std::size_t>(who)].part = to;
                                            copied += n;
                                        });
                        p = range.allocate(r.bytes, r.alignment, owner);
                    }
                }
                asked += r.bytes;
                if (!p) {
                    ++refused;
                    continue;
                }
                if (vacant.empty())
                    parts.emplace_back();
                else
                    vacant.pop_back();
                parts[owner] = {p, r.bytes, r.kind};
                used += r.bytes;
                most = std::max(most, used);
                high = std::max(high, range.end(*p));
                if (r.kind == transient)
                    transients.emplace_back(step, owner);
                else
                    order.push_back(owner);
            }
            if (free_)
                t.record("high water", "of bytes in use",
                         static_cast<double>(high) / static_cast<double>(most));
            else
                t.record("refused", "% of requests",
                         100 * static_cast<double>(refused) / static_cast<double>(steps));
            if (moving_)
                t.note("copied", "bytes/byte",
                       static_cast<double>(copied) / static_cast<double>(asked));
            t.checksum(steps);
            if (t.wants_maps() && !free_ && t.text("load") == "0.9")
                t.keep(picture_of(parts));
        }

    private:
        static constexpr std::size_t steps = 300'000;

        enum kind : unsigned char { buffer, texture, transient };
        struct request {
            std::uint64_t bytes, alignment;
            enum kind kind;
        };
        struct live_part {
            std::optional<typename offsets::part> part;
            std::uint64_t bytes = 0;
            enum kind kind = buffer;
        };

        [[nodiscard]] range_sample picture_of(const std::vector<live_part>& parts) const {
            range_sample picture{.name = "one moment",
                                 .kinds = {"buffers", "textures", "transient targets"},
                                 .block_bytes = capacity_};
            for (const live_part& p : parts)
                if (p.bytes != 0)
                    picture.parts.push_back({p.part->bytes, p.kind, {0, p.part->offset}});
            return picture;
        }

        static std::uint64_t between(random_source& random, double least, double octaves) {
            const double x = static_cast<double>(random.below(1 << 20)) / (1 << 20);
            return static_cast<std::uint64_t>(least * std::exp2(octaves * x));
        }

        static request next(random_source& random) {
            const std::uint64_t mips = (std::uint64_t{65'536} << random.below(9)) * 4 / 3;
            if constexpr (Scene == scene::streaming)
                return {mips, 65'536, texture};
            const std::uint64_t chosen = random.below(100);
            if (chosen < 60)
                return {between(random, 1024, 10), 256, buffer};
            if (chosen < 95)
                return {mips, 4096, texture};
            return {between(random, 1 << 20, 5), 65'536, transient};
        }

        bool moving_;
        bool free_;
        std::uint64_t capacity_;
        std::uint64_t most_;
    };
};

using offset_mix = offset_full<scene::mix>;
using offset_streaming = offset_full<scene::streaming>;

ARENITE_LAB_WORKLOAD(offset_mix);
ARENITE_LAB_WORKLOAD(offset_streaming);

} // namespace
} // namespace arenite::lab
