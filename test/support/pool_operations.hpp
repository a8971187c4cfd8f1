// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

#include "support/driver.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace support {

/// Programs of operations on a pool of slots (see operations.hpp): they come and go singly, in rows
/// and at random, are visited and freed while visited (where the pool does that), listed and
/// trimmed, beside a map of what is alive.
template <class Pool>
class pool_operations : public driver {
public:
    explicit pool_operations(Pool& pool) : pool_{pool} {}

    /// The pool may fail where its upstream may.
    pool_operations(Pool& pool, bool may_fail) : pool_{pool}, may_fail_{may_fail} {}

private:
    struct piece {
        std::byte* p;
        std::uint64_t id;
    };

    static constexpr bool visits = requires(Pool& pool) { pool.for_each([](void*) {}); };

    [[nodiscard]] std::size_t capacity() const {
        if constexpr (requires { pool_.capacity(); })
            return pool_.capacity();
        else
            return std::size_t(-1);
    }

    static constexpr std::size_t most_bytes = std::size_t{8} << 20;

    void end() override {
        while (!live_.empty() && right())
            free_at(live_.size() - 1);
        check_usage();
    }

    void one(decisions& source) override {
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
            allocate();
            break;
        case 3:
        case 4:
            for (std::size_t i = source.byte(); i > 0 && right(); --i)
                allocate();
            break;
        case 5:
        case 6:
            free_at(below(live_.size()));
            break;
        case 7:
            free_at(live_.size() - 1);
            break;
        case 8: // at random
            for (std::size_t i = source.byte(); i > 0 && right(); --i)
                free_at(below(live_.size()));
            break;
        case 9: { // neighbours, upward or downward
            std::sort(live_.begin(), live_.end(),
                      [](const piece& a, const piece& b) { return a.p < b.p; });
            const std::size_t from = below(live_.size());
            const bool up = source.byte() % 2 != 0;
            for (std::size_t i = source.byte(); i > 0 && right(); --i) {
                const std::size_t n = up ? from : from + i - 1;
                if (n < live_.size())
                    free_at(n, true);
            }
            break;
        }
        case 10: { // every k-th
            const std::size_t step = 1 + source.byte() % 4;
            for (std::size_t i = live_.size(); i > step && right(); i -= step)
                free_at(i - 1);
            break;
        }
        case 11:
            if (source.byte() % 8 == 0)
                pool_.trim();
            break;
        case 12:
            if constexpr (visits)
                if (source.byte() % 8 == 0)
                    visit();
            break;
        case 13:
            if constexpr (visits)
                if (source.byte() % 16 == 0)
                    free_while_visiting(source.byte());
            break;
        case 14:
            if (source.byte() % 16 == 0)
                check_regions();
            break;
        case 15:
            allocate_large(below(1 << 16));
            break;
        }
        check_usage();
    }

    void allocate() {
        if ((live_.size() + 1) * pool_.slot_bytes() > most_bytes)
            return;
        void* const p = pool_.try_allocate();
        if (p == nullptr) {
            if (live_.size() < capacity() && !may_fail_)
                wrong("an allocation failed");
            return;
        }
        if (live_.size() >= capacity())
            return wrong("there are more slots than the capacity");
        if (pool_.slot_bytes() % 16 == 0 && !arenite::is_aligned(p, 4))
            return wrong("memory is not aligned");
        const auto [at, fresh] = ids_.emplace(arenite::address_of(p), next_id_);
        if (!fresh ||
            (std::next(at) != ids_.end() &&
             at->first + pool_.slot_bytes() > std::next(at)->first) ||
            (at != ids_.begin() && std::prev(at)->first + pool_.slot_bytes() > at->first))
            return wrong("memory overlaps another slot");
        if (!pool_.owns(p))
            return wrong("the pool does not own what it handed out");
        live_.push_back({static_cast<std::byte*>(p), next_id_++});
        pattern{live_.back().id}.write(p, pool_.slot_bytes());
    }

    /// A request that a slot does not serve is out for a moment.
    void allocate_large(std::size_t more) {
        const std::size_t bytes = pool_.slot_bytes() + 1 + more;
        void* const p = pool_.try_allocate(bytes, 8);
        const bool fixed = capacity() != std::size_t(-1);
        if (p != nullptr && fixed)
            return wrong("a fixed number of slots served something else");
        if (p == nullptr) {
            if (!fixed && !may_fail_)
                wrong("a large allocation failed");
            return;
        }
        pattern{1}.write(p, bytes);
        pool_.deallocate(p, bytes, 8);
    }

    void free_at(std::size_t index, bool keep_order = false) {
        if (index >= live_.size())
            return;
        const piece x = live_[index];
        if (!pattern{x.id}.holds(x.p, pool_.slot_bytes()))
            return wrong("memory was overwritten");
        if (keep_order) {
            live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
        } else {
            live_[index] = live_.back();
            live_.pop_back();
        }
        ids_.erase(arenite::address_of(x.p));
        pool_.deallocate(x.p);
    }

    void visit() {
        std::uintptr_t before = 0;
        std::size_t seen = 0;
        pool_.for_each([&](void* p) {
            if (!ids_.contains(arenite::address_of(p)))
                wrong("a visit came to what is not alive");
            if (arenite::address_of(p) <= before)
                wrong("a visit is not in address order");
            before = arenite::address_of(p);
            ++seen;
        });
        if (seen != live_.size())
            wrong("a visit did not see all that is alive");
    }

    void free_while_visiting(std::size_t kept) {
        std::size_t seen = 0;
        pool_.for_each([&](void* p) {
            if (++seen % 256 <= kept)
                return;
            ids_.erase(arenite::address_of(p));
            pool_.deallocate(p);
        });
        std::erase_if(live_,
                      [&](const piece& x) { return !ids_.contains(arenite::address_of(x.p)); });
    }

    void check_regions() {
        const region_list list{pool_};
        if (list.count(arenite::region_state::used) != live_.size())
            return wrong("the list of regions shows another number of slots in use");
        for (const region& r : list.all())
            if (r.state == arenite::region_state::used &&
                !ids_.contains(arenite::address_of(r.address)))
                return wrong("the list of regions shows a slot in use that is not");
    }

    void check_usage() {
        const arenite::usage u = pool_.usage();
        if (u.live_allocations != live_.size() ||
            u.bytes_in_use != live_.size() * pool_.slot_bytes())
            wrong("usage counts other slots than there are");
        if (u.bytes_reserved < u.bytes_in_use)
            wrong("usage tells of fewer bytes reserved than in use");
    }

    Pool& pool_;
    bool may_fail_ = false;
    std::vector<piece> live_;
    std::map<std::uintptr_t, std::uint64_t> ids_;
    std::uint64_t next_id_ = 1;
};

} // namespace support
