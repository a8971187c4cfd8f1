// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Programs of operations that bytes decide, as in operations.hpp, for what is made of several
// linear resources.

#include <arenite/core/alignment.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/scope.hpp>

#include "support/operations.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace support {

/// Both ends of a double_ended_resource over a buffer: where each allocation must lie, and that
/// what is alive stays as it is.
class double_ended_operations : public driver {
public:
    double_ended_operations(arenite::double_ended_resource& d, std::byte* begin)
        : resource_{d}, begin_{begin} {}

private:
    enum which : std::size_t { low, high };

    struct piece {
        std::byte* p;
        std::size_t bytes;
        std::size_t alignment;
        std::uint64_t id;
    };
    struct mark {
        arenite::linear_resource::marker marker;
        std::size_t position;
        std::uint64_t next_id;
    };
    struct side {
        std::vector<piece> live;
        std::vector<mark> marks;
        std::size_t in_use = 0;
        std::size_t high_water = 0;
    };

    [[nodiscard]] arenite::linear_resource& side_of(which w) noexcept {
        return w == low ? resource_.low() : resource_.high();
    }

    void after_each() override { check_state(); }

    void one(decisions& source) override {
        const which w = source.byte() % 2 == 0 ? low : high;
        side& s = sides_[w];
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5: {
            const std::size_t alignment = std::size_t{1} << source.byte() % 8;
            allocate(w, source.byte(), alignment);
            break;
        }
        case 6:
            allocate(w, below(resource_.capacity() + 2), 1);
            break;
        case 7:
            allocate(w, std::numeric_limits<std::size_t>::max() - source.byte(), 16);
            break;
        case 8:
        case 9:
            give_back(w, s.live.size() - 1);
            break;
        case 10:
            give_back(w, below(s.live.size()));
            break;
        case 11:
            resize(w, below(resource_.capacity() + 2));
            break;
        case 12:
        case 13:
            if (s.marks.size() < 10)
                s.marks.push_back({side_of(w).mark(), s.in_use, next_id_});
            break;
        case 14:
            if (!s.marks.empty())
                rewind(w, below(s.marks.size()));
            break;
        case 15:
            if (source.byte() < 40) {
                side_of(w).reset();
                s.live.clear();
                s.marks.clear();
                s.in_use = 0;
            }
            break;
        }
    }

    void allocate(which w, std::size_t bytes, std::size_t alignment) {
        side& s = sides_[w];
        const std::size_t count = std::max<std::size_t>(bytes, 1);
        const std::size_t free = resource_.capacity() - sides_[low].in_use - sides_[high].in_use;
        std::byte* expected = nullptr;
        std::size_t taken = 0;
        if (count <= free) {
            if (w == low) {
                std::byte* const top = begin_ + s.in_use;
                taken = arenite::padding_for(top, alignment) + count;
                expected = top + taken - count;
            } else {
                std::byte* const top = begin_ + resource_.capacity() - s.in_use;
                taken = count + arenite::address_of(top - count) % alignment;
                expected = top - taken;
            }
            if (taken > free)
                expected = nullptr;
        }
        void* p = nullptr;
        if (step() % 2 == 0)
            p = side_of(w).try_allocate(bytes, alignment);
        else
            p = resource_.try_allocate(bytes, alignment,
                                       w == low ? arenite::lifetime::temporary
                                                : arenite::lifetime::permanent);
        if (p != expected)
            return wrong("an allocation is elsewhere than directly beside the others");
        if (p == nullptr)
            return;
        s.in_use += taken;
        s.high_water = std::max(s.high_water, s.in_use);
        s.live.push_back({expected, bytes, alignment, next_id_++});
        pattern{s.live.back().id}.write(p, bytes);
    }

    void give_back(which w, std::size_t index) {
        side& s = sides_[w];
        if (index >= s.live.size())
            return;
        const piece x = s.live[index];
        check(x);
        s.live.erase(s.live.begin() + static_cast<std::ptrdiff_t>(index));
        if (step() % 2 == 0)
            side_of(w).deallocate(x.p, x.bytes, x.alignment);
        else
            resource_.deallocate(x.p, x.bytes, x.alignment);
        const std::size_t now = side_of(w).in_use();
        const std::size_t distance = w == low ? static_cast<std::size_t>(x.p - begin_)
                                              : resource_.capacity() -
                                                    static_cast<std::size_t>(x.p - begin_) -
                                                    std::max<std::size_t>(x.bytes, 1);
        const std::size_t outer = distance + std::max<std::size_t>(x.bytes, 1);
        if (outer == s.in_use ? now >= s.in_use : now != s.in_use)
            return wrong("what came back is not what was freed beside the room");
        s.in_use = now;
    }

    void resize(which w, std::size_t bytes) {
        side& s = sides_[w];
        if (s.live.empty())
            return;
        piece& x = s.live.back();
        check(x);
        const std::size_t old_count = std::max<std::size_t>(x.bytes, 1);
        const std::size_t count = std::max<std::size_t>(bytes, 1);
        const std::size_t free = resource_.capacity() - sides_[low].in_use - sides_[high].in_use;
        const bool may = w == low && x.p + old_count == begin_ + s.in_use &&
                         count <= free + old_count && s.marks.empty();
        if (w == low && !s.marks.empty())
            return; // a rewind would cut it: operations.hpp has that
        if (side_of(w).try_resize(x.p, x.bytes, bytes) != may)
            return wrong("a change of size in place is not as it must be");
        if (!may)
            return;
        s.in_use = s.in_use - old_count + count;
        s.high_water = std::max(s.high_water, s.in_use);
        x.bytes = bytes;
        pattern{x.id}.write(x.p, bytes);
    }

    void rewind(which w, std::size_t index) {
        side& s = sides_[w];
        const mark m = s.marks[index];
        s.marks.resize(index + 1);
        side_of(w).rewind(m.marker);
        std::erase_if(s.live, [&](const piece& x) { return x.id >= m.next_id; });
        s.in_use = std::min(s.in_use, m.position);
    }

    void check(const piece& x) {
        if (!pattern{x.id}.holds(x.p, x.bytes))
            wrong("memory was overwritten");
    }

    void check_state() {
        for (const which w : {low, high}) {
            const side& s = sides_[w];
            if (side_of(w).in_use() != s.in_use)
                wrong("in_use is not what it must be");
            if (side_of(w).high_water() != s.high_water)
                wrong("high_water is not the largest in_use");
            if (s.live.empty())
                continue;
            const piece& x = s.live[step() % s.live.size()];
            check(x);
            if (!side_of(w).owns(x.p) || side_of(w == low ? high : low).owns(x.p))
                wrong("an end owns what is not its own");
        }
        if (resource_.remaining() !=
            resource_.capacity() - sides_[low].in_use - sides_[high].in_use)
            wrong("remaining is not what lies between the ends");
    }

    arenite::double_ended_resource& resource_;
    std::byte* begin_;
    std::array<side, 2> sides_;
    std::uint64_t next_id_ = 1;
};

/// A resource with several buffers in turn: what was made stays for `Kept` turns, and all that is
/// alive keeps its bytes. `Turn` goes on to the next one.
template <class R, std::size_t Kept, class Turn>
class turn_operations : public driver {
public:
    turn_operations(R& r, Turn turn) : resource_{r}, turn_{turn} {}

private:
    struct piece {
        std::byte* p;
        std::size_t bytes;
        std::uint64_t id;
        std::size_t round;
    };

    void one(decisions& source) override {
        switch (source.byte() % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
            allocate(source.byte(), std::size_t{1} << source.byte() % 8);
            break;
        case 4:
            allocate(below(resource_.capacity() + 2), 1);
            break;
        case 5: {
            const std::size_t index = below(live_.size() + 1);
            if (index >= live_.size() || live_[index].round != round_)
                break;
            const piece x = live_[index];
            live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
            resource_.deallocate(x.p, x.bytes, 1);
            break;
        }
        case 6: {
            const arenite::scope temporaries{resource_};
            for (int i = source.byte() % 4; i > 0; --i) {
                const std::size_t bytes = source.byte();
                if (void* p = resource_.try_allocate(bytes, 8))
                    pattern{step()}.write(p, bytes);
            }
            break;
        }
        case 7:
            turn_(resource_);
            ++round_;
            std::erase_if(live_, [&](const piece& x) { return x.round + Kept < round_; });
            break;
        }
        for (const piece& x : live_)
            if (!pattern{x.id}.holds(x.p, x.bytes) || !resource_.owns(x.p))
                return wrong("memory that is still to be read was overwritten");
    }

    void allocate(std::size_t bytes, std::size_t alignment) {
        void* const p = resource_.try_allocate(bytes, alignment);
        if (p == nullptr)
            return;
        if (!arenite::is_aligned(p, alignment))
            return wrong("memory is not aligned");
        live_.push_back({static_cast<std::byte*>(p), bytes, ++last_id_, round_});
        pattern{last_id_}.write(p, bytes);
    }

    R& resource_;
    Turn turn_;
    std::vector<piece> live_;
    std::uint64_t last_id_ = 0;
    std::size_t round_ = 0;
};

} // namespace support
