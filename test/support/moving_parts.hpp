// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/budget.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>

#include "support/driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// A random program of allocations, frees and moves on an offset_allocator or offset_heap, which
/// really copies: every block is memory, every allocation holds a pattern, and what is taken at a
/// moment, by the user or by a move, may not overlap.
template <class Parts>
class moving_parts : public driver {
public:
    explicit moving_parts(Parts& parts) : parts_{parts} {}

private:
    using place = std::pair<void*, std::uint64_t>;

    struct piece {
        arenite::offset_allocation a;
        void* block;
        std::uint64_t id;
        std::uint64_t alignment;
        bool slid = false; ///< its move was copied over it, and is not committed
        bool pinned = false;
    };

    struct open_move {
        arenite::offset_move m;
        std::uint64_t taken; ///< bytes that it took for itself
    };

    [[nodiscard]] void* block_of(const arenite::offset_allocation& a) const {
        if constexpr (requires { parts_.block_of(a); })
            return parts_.block_of(a);
        else
            return nullptr;
    }

    void after_each() override { check(); }
    void end() override {
        settle_all();
        defragment();
        while (!live_.empty() && right())
            free_at(live_.size() - 1);
        check();
        if (parts_.usage().bytes_in_use != 0)
            wrong("bytes are in use when nothing is alive");
    }

    void one(decisions& source) override {
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            return allocate(some_bytes(source), source.byte());
        case 5:
        case 6:
        case 7:
            return free_at(below(live_.size()));
        case 8:
            if (source.byte() < 40) {
                for (std::size_t i = live_.size(); i > 2 && right(); i -= 2)
                    free_at(i - 1);
            }
            return;
        case 9:
            return resize(below(live_.size()), some_bytes(source));
        case 10:
        case 11:
            return note(parts_.step(some_budget(source), some_overlap(source)));
        case 12: {
            const std::uint64_t bytes = some_bytes(source) * 4;
            arenite::offset_moves todo =
                parts_.make_room(bytes, 1, some_budget(source), some_overlap(source));
            const bool settles = todo.done() && open_.empty();
            note(std::move(todo));
            if (settles) {
                settle_all();
                const auto a = parts_.try_allocate(bytes);
                if (!a)
                    return wrong("room was made, and there is none");
                parts_.deallocate(*a);
            }
            return;
        }
        case 13:
        case 14:
            for (std::size_t n = source.byte() % 8; n != 0 && !open_.empty(); --n)
                settle(below(open_.size()), source.byte() % 4 != 0);
            return;
        case 15:
            return pin(below(live_.size()), source.byte());
        }
    }

    std::uint64_t some_bytes(decisions& source) {
        return source.byte() < 200 ? 1 + source.byte() : below(3000);
    }
    arenite::budget some_budget(decisions& source) {
        return {.bytes = std::size_t{16} << source.byte() % 10, .moves = source.byte() % 12u};
    }
    arenite::offset_moves::overlap some_overlap(decisions& source) {
        return source.byte() % 3 == 0 ? arenite::offset_moves::may_overlap
                                      : arenite::offset_moves::apart;
    }

    [[nodiscard]] std::uint8_t* memory(void* block, std::uint64_t offset, std::uint64_t bytes) {
        std::vector<std::uint8_t>& m = memory_[block];
        if (m.size() < offset + bytes)
            m.resize(offset + bytes);
        return m.data() + offset;
    }

    void take(void* block, std::uint64_t offset, std::uint64_t bytes) {
        const auto [at, fresh] = taken_.emplace(place{block, offset}, bytes);
        const auto next = std::next(at);
        if (!fresh ||
            (next != taken_.end() && next->first.first == block &&
             offset + bytes > next->first.second) ||
            (at != taken_.begin() && std::prev(at)->first.first == block &&
             std::prev(at)->first.second + std::prev(at)->second > offset))
            wrong("what was handed out overlaps");
    }
    void drop(void* block, std::uint64_t offset) { taken_.erase({block, offset}); }

    void allocate(std::uint64_t bytes, std::uint8_t bits) {
        const std::uint64_t alignment = bits < 64 ? 12 : std::uint64_t{1} << bits % 8;
        const auto a = parts_.try_allocate(
            bytes, alignment,
            {.kind = bits % 32 == 0 ? arenite::offset_kind::optimal : arenite::offset_kind::linear,
             .user_data = next_id_});
        if (!a)
            return;
        if (a->offset % alignment != 0)
            return wrong("an allocation is not aligned");
        live_.push_back({*a, block_of(*a), next_id_++, alignment});
        take(live_.back().block, a->offset, a->bytes);
        fill(live_.back());
    }

    void fill(const piece& x) {
        pattern{x.id}.write(memory(x.block, x.a.offset, x.a.bytes), x.a.bytes);
    }

    void free_at(std::size_t i) {
        if (i >= live_.size())
            return;
        const piece x = live_[i];
        expect_intact(x);
        parts_.deallocate(x.a);
        drop(x.block, x.a.offset);
        live_[i] = live_.back();
        live_.pop_back();
    }

    void resize(std::size_t i, std::uint64_t bytes) {
        if (i >= live_.size())
            return;
        piece& x = live_[i];
        const bool moves = std::any_of(open_.begin(), open_.end(),
                                       [&](const open_move& o) { return o.m.from == x.a; });
        if (!parts_.try_resize(x.a, bytes))
            return;
        if (moves)
            return wrong("what moves changed its size");
        drop(x.block, x.a.offset);
        take(x.block, x.a.offset, x.a.bytes);
        fill(x);
    }

    void pin(std::size_t i, std::uint8_t what) {
        if (i >= live_.size())
            return;
        live_[i].pinned = what % 2 == 0;
        if (live_[i].pinned)
            parts_.pin(live_[i].a);
        else
            parts_.unpin(live_[i].a);
    }

    // Copies at once, as a command buffer that runs before its fence.
    void note(arenite::offset_moves todo) {
        for (const arenite::offset_move& m : todo) {
            const auto from = std::find_if(live_.begin(), live_.end(), [&](const piece& x) {
                return x.a == m.from && x.block == m.from_block;
            });
            if (from == live_.end())
                return wrong("a move of something that is not alive");
            if (from->pinned)
                return wrong("a move of something that is pinned");
            if (m.to.offset % from->alignment != 0)
                return wrong("a move goes where the allocation is not aligned");
            if (m.user_data != from->id)
                return wrong("a move tells other user data");
            const std::uint64_t taken = m.overlaps() ? m.gap() : m.bytes();
            take(m.to_block, m.to.offset, taken);
            copy(m);
            from->slid = m.overlaps();
            open_.push_back({m, taken});
        }
    }

    void copy(const arenite::offset_move& m) {
        const std::uint64_t most = m.overlaps() ? m.gap() : m.bytes();
        for (std::uint64_t at = 0; at < m.bytes(); at += most) {
            const std::uint64_t n = std::min(most, m.bytes() - at);
            std::uint8_t* const to = memory(m.to_block, m.to.offset + at, n);
            std::memcpy(to, memory(m.from_block, m.from.offset + at, n), n);
        }
    }

    void settle(std::size_t i, bool copied) {
        const open_move o = open_[i];
        open_[i] = open_.back();
        open_.pop_back();
        const arenite::offset_move& m = o.m;
        const auto from = std::find_if(live_.begin(), live_.end(), [&](const piece& x) {
            return x.a == m.from && x.block == m.from_block;
        });
        const bool alive = from != live_.end();
        if (alive && from->slid)
            copied = true; // it can't be given up any more
        drop(m.to_block, m.to.offset);
        if (alive && copied) {
            drop(m.from_block, m.from.offset);
            take(m.to_block, m.to.offset, m.to.bytes);
        }
        const std::vector<arenite::offset_move> list{m, m}; // the second time it is passed over
        if (copied)
            parts_.commit(list);
        else
            parts_.cancel(list);
        if (parts_.is_live(m.to) != (alive && copied) ||
            parts_.is_live(m.from) != (alive && !copied))
            return wrong("after a move the wrong one is alive");
        if (alive && copied) {
            from->a = m.to;
            from->block = m.to_block;
            from->slid = false;
            expect_intact(*from);
        }
    }

    void settle_all() {
        while (!open_.empty() && right())
            settle(open_.size() - 1, true);
    }

    // It ends, and says so.
    void defragment() {
        for (int n = 0; right(); ++n) {
            arenite::offset_moves todo = parts_.step({.moves = 8});
            const bool done = todo.done();
            note(std::move(todo));
            settle_all();
            check();
            if (done)
                break;
            if (n > 20'000)
                return wrong("the steps never end");
        }
        if (right() && !parts_.step(arenite::budget::unlimited()).empty())
            wrong("a step after the last finds something");
    }

    void expect_intact(const piece& x) {
        if (!x.slid && !pattern{x.id}.holds(memory(x.block, x.a.offset, x.a.bytes), x.a.bytes))
            wrong("what an allocation holds was overwritten");
    }

    void check() {
        if (!right())
            return;
        if (parts_.usage().live_allocations != live_.size())
            return wrong("another number of allocations is alive");
        std::uint64_t bytes = 0;
        for (const auto& [at, n] : taken_)
            bytes += n;
        if (parts_.usage().bytes_in_use != bytes)
            return wrong("another number of bytes is in use");
        std::size_t seen = 0;
        parts_.for_each([&](const arenite::offset_allocation&, std::uint64_t) { ++seen; });
        if (seen != live_.size())
            return wrong("for_each tells of others");
        for (const piece& x : live_) {
            expect_intact(x);
            if (!parts_.is_live(x.a) || block_of(x.a) != x.block || parts_.user_data(x.a) != x.id)
                return wrong("an allocation is not what it was");
        }
    }

    Parts& parts_;
    std::vector<piece> live_;
    std::vector<open_move> open_;
    std::map<place, std::uint64_t> taken_;
    std::map<void*, std::vector<std::uint8_t>> memory_;
    std::uint64_t next_id_ = 1;
};

} // namespace support
