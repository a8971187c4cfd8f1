// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

// freelist/fragmentation: the smallest region in which a program can run, its own bookkeeping
// included, for a byte of the most that is live at once. Each region size is tried with the whole
// program; the smallest that serves it is found by halves, to a thousandth.
//
// mix=uniform   16 to 1024 bytes; a random object is replaced by another, ten times as often as
//               there are objects.
// mix=power     the same with 16 bytes to 16 KiB, each doubling as likely as the others.
// mix=growing   arrays that are allocated anew with twice the room until they have 8 KiB, and then
//               begin again with 16 bytes.
// mix=frame     a game: most is objects of 16 to 256 bytes, of which a few are replaced a frame;
//               temporaries of 64 bytes to 8 KiB live for the frame, and end in no order.
// mix=robson    after Robson's worst case for any allocator that moves nothing: memory is filled
//               with objects of one size; every second one is freed; then twice the size, to 2 KiB.

namespace arenite::lab {
namespace {

/// Runs a mix on any heap; live() says how much was.
template <class Heap>
class program {
public:
    program(Heap& heap, std::size_t bytes) : heap_{heap}, bytes_{bytes} {}

    void run(const std::string& mix) {
        if (mix == "uniform")
            replace([&] { return 16 + 8 * random_.below(127); });
        else if (mix == "power")
            replace([&] { return log_uniform(16, 10); });
        else if (mix == "growing")
            grow();
        else if (mix == "frame")
            frames();
        else
            robson();
        for (const object& o : objects_)
            heap_.deallocate(o.p, o.bytes, alignment);
    }

    [[nodiscard]] std::size_t most_live() const noexcept { return most_; }
    [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

private:
    static constexpr std::size_t alignment = 16;

    struct object {
        void* p;
        std::size_t bytes;
    };

    object make(std::size_t bytes) {
        live_ += bytes;
        most_ = std::max(most_, live_);
        sum_ = sum_ * 31 + bytes;
        return {heap_.allocate(bytes, alignment), bytes};
    }
    void end(const object& o) {
        live_ -= o.bytes;
        heap_.deallocate(o.p, o.bytes, alignment);
    }
    /// From `least` on, over so many doublings, each as likely as the others.
    std::size_t log_uniform(std::size_t least, std::uint64_t doublings) {
        const std::size_t from = least << random_.below(doublings);
        return from + random_.below(from);
    }

    template <class Size>
    void fill(Size size) {
        while (live_ < bytes_)
            objects_.push_back(make(size()));
    }

    template <class Size>
    void replace(Size size) {
        fill(size);
        for (std::size_t i = 0; i < 10 * objects_.size(); ++i) {
            object& o = objects_[random_.below(objects_.size())];
            end(o);
            o = make(size());
        }
    }

    void grow() {
        fill([&] { return std::size_t{16} << random_.below(10); });
        for (std::size_t i = 0; i < 20 * objects_.size(); ++i) {
            object& o = objects_[random_.below(objects_.size())];
            const object more = make(o.bytes >= 8192 ? 16 : 2 * o.bytes);
            end(o);
            o = more;
        }
    }

    void frames() {
        const auto lasting = [&] { return 16 + 8 * random_.below(31); };
        fill(lasting);
        std::vector<object> temporaries;
        for (int frame = 0; frame < 300; ++frame) {
            for (std::size_t bytes = 0; bytes < bytes_ / 8; bytes += temporaries.back().bytes) {
                temporaries.push_back(make(log_uniform(64, 7)));
                if (random_.below(8) == 0) {
                    object& o = objects_[random_.below(objects_.size())];
                    end(o);
                    o = make(lasting());
                }
            }
            random_.shuffle(temporaries);
            for (const object& o : temporaries)
                end(o);
            temporaries.clear();
        }
    }

    void robson() {
        for (std::size_t bytes = 16; bytes <= 2048; bytes *= 2) {
            std::vector<object> stay;
            for (std::size_t i = 0; i < objects_.size(); ++i) {
                if (i % 2 == 0)
                    stay.push_back(objects_[i]);
                else
                    end(objects_[i]);
            }
            objects_.swap(stay);
            fill([=] { return bytes; });
        }
    }

    Heap& heap_;
    std::size_t bytes_;
    random_source random_{1};
    std::vector<object> objects_;
    std::size_t live_ = 0;
    std::size_t most_ = 0;
    std::uint64_t sum_ = 0;
};

/// Counts, and gives nothing.
struct no_heap {
    void* allocate(std::size_t, std::size_t) { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}
};

struct freelist_fragmentation {
    static workload_info info() {
        return {.name = "freelist/fragmentation",
                .summary = "the smallest region in which a program can run",
                .parameters = {{.name = "mix",
                                .type = parameter::kind::choice,
                                .defaults = {"uniform", "power", "growing", "frame", "robson"},
                                .summary = "of sizes: see lab/workloads/freelist_fragmentation.cpp",
                                .choices = {"uniform", "power", "growing", "frame", "robson"}},
                               {.name = "kilobytes",
                                .defaults = {"4096"},
                                .summary = "live, about",
                                .least = 64,
                                .most = 1'000'000}},
                .warm_passes = 0,
                .short_warm_passes = 0,
                .in_short = false,
                .ours = "arenite.free_list.best",
                .touches = [](const parameter_values& values) {
                    return 4 * static_cast<std::size_t>(std::stoll(values.at("kilobytes"))) << 10;
                }};
    }

    template <class S>
    static constexpr bool accepts = in_one_region<S> && std::constructible_from<S, std::size_t>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : mix_{t.text("mix")}, bytes_{static_cast<std::size_t>(t.integer("kilobytes")) << 10} {}

        void pass(turn& t) {
            no_heap nothing;
            program<no_heap> dry{nothing, bytes_};
            dry.run(mix_);
            std::size_t too_small = dry.most_live();
            std::size_t enough = 2 * too_small;
            while (!serves(enough))
                too_small = std::exchange(enough, 2 * enough);
            while (enough - too_small > dry.most_live() / 1000) {
                const std::size_t between = (too_small + enough) / 2;
                (serves(between) ? enough : too_small) = between;
            }
            t.record("region", "bytes/byte",
                     static_cast<double>(enough) / static_cast<double>(dry.most_live()));
            t.checksum(dry.sum());
        }

    private:
        [[nodiscard]] bool serves(std::size_t region_bytes) const {
            try {
                S heap{region_bytes};
                program<S> tried{heap, bytes_};
                tried.run(mix_);
                return true;
            } catch (const std::bad_alloc&) { // what was alive ends with the region
                return false;
            }
        }

        std::string mix_;
        std::size_t bytes_;
    };
};

ARENITE_LAB_WORKLOAD(freelist_fragmentation);

} // namespace
} // namespace arenite::lab
