// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/freelist/free_list_resource.hpp>

#include "support/driver.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace support {

/// Random operations on a free_list_resource beside a map of its holes, which tells to which
/// address each request must lead.
class free_list_operations : public driver {
public:
    free_list_operations(arenite::free_list_resource& r, arenite::free_list_options options)
        : resource_{r}, options_{options}, lead_{kept() ? std::size_t{8} : std::size_t{0}} {}

private:
    static constexpr std::size_t unit = 16;

    struct piece {
        std::byte* p;
        std::size_t bytes;
        std::uint64_t id;
    };

    [[nodiscard]] bool kept() const { return options_.sizes == arenite::sizes::kept; }
    [[nodiscard]] std::size_t units_for(std::size_t bytes) const {
        return (std::max<std::size_t>(bytes, 1) + lead_ + unit - 1) / unit;
    }

    // Where the region lies: its first request is served at its first unit.
    [[nodiscard]] bool begin() {
        void* const p = resource_.try_allocate(1);
        if (p == nullptr)
            return false; // too small for anything
        base_ = static_cast<std::byte*>(p);
        const region_list list{resource_};
        count_ = (list.bytes(region_state::free) + list.bytes(region_state::used) + lead_) / unit;
        resource_.deallocate(p, 1);
        holes_[0] = count_;
        return true;
    }

    void end() override {
        while (!live_.empty() && right())
            free_at(live_.size() - 1);
        if (base_ != nullptr && (holes_.size() != 1 || resource_.usage().bytes_in_use != 0))
            wrong("not all is one hole when nothing is alive");
    }

    void one(decisions& source) override {
        const std::uint8_t what = source.byte();
        if (base_ == nullptr && !begin())
            return;
        switch (what % 8) {
        case 0:
        case 1:
            allocate(1 + source.byte() % 96, 16);
            break;
        case 2:
            allocate(below(1 + source.byte() * std::size_t{16}), 16);
            break;
        case 3: {
            const std::size_t alignment = std::size_t{1} << source.byte() % 11;
            allocate(source.byte() * std::size_t{4}, alignment);
            break;
        }
        case 4:
        case 5:
            free_at(below(live_.size()));
            break;
        case 6: {
            const std::size_t step = 1 + source.byte() % 4;
            if (source.byte() % 8 == 0)
                for (std::size_t i = live_.size(); i > step && right(); i -= step)
                    free_at(i - 1);
            break;
        }
        case 7: {
            const std::size_t index = below(live_.size());
            resize(index, source.byte() * std::size_t{8});
            break;
        }
        }
        check_usage();
    }

    [[nodiscard]] std::size_t aligned(std::size_t i, std::size_t alignment) const {
        return i + arenite::padding_for(base_ + i * unit, alignment) / unit;
    }

    // The hole that the request takes, by looking at all of them.
    [[nodiscard]] std::map<std::size_t, std::size_t>::iterator choose(std::size_t n,
                                                                      std::size_t alignment) {
        const std::size_t need = n + (alignment > unit ? alignment / unit - 1 : 0);
        auto chosen = holes_.end();
        for (auto h = holes_.begin(); h != holes_.end(); ++h) {
            const bool is_top = h->first + h->second == count_;
            const bool fits =
                is_top ? aligned(h->first, alignment) + n <= count_ : h->second >= need;
            if (fits && (chosen == holes_.end() ||
                         (options_.fit == arenite::fit::best && h->second < chosen->second)))
                chosen = h;
        }
        if (chosen != holes_.end())
            return chosen;
        return std::find_if(holes_.begin(), holes_.end(), [&](const auto& h) {
            return aligned(h.first, alignment) + n <= h.first + h.second;
        });
    }

    void allocate(std::size_t bytes, std::size_t alignment) {
        const std::size_t n = units_for(bytes);
        const auto hole = choose(n, alignment);
        auto* const p = static_cast<std::byte*>(resource_.try_allocate(bytes, alignment));
        if (hole == holes_.end()) {
            if (p != nullptr)
                wrong("a request is served for which no hole is large enough");
            return;
        }
        const std::size_t first = hole->first, length = hole->second;
        const std::size_t i = aligned(first, alignment);
        if (p != base_ + i * unit)
            return wrong("a request is served elsewhere than the fit says");
        holes_.erase(hole);
        if (i != first)
            holes_[first] = i - first;
        if (i + n != first + length)
            holes_[i + n] = first + length - i - n;
        live_.push_back({p, bytes, next_id_++});
        used_ += n;
        pattern{live_.back().id}.write(p, bytes);
        if (kept() && resource_.size_of(p) != n * unit - lead_)
            wrong("size_of is not the request, rounded up");
    }

    void join(std::size_t first, std::size_t n) {
        auto above = holes_.lower_bound(first);
        if (above != holes_.end() && above->first == first + n) {
            n += above->second;
            above = holes_.erase(above);
        }
        if (above != holes_.begin()) {
            const auto below = std::prev(above);
            if (below->first + below->second == first) {
                below->second += n;
                return;
            }
        }
        holes_[first] = n;
    }

    void free_at(std::size_t index) {
        if (index >= live_.size())
            return;
        const piece x = live_[index];
        check(x);
        live_[index] = live_.back();
        live_.pop_back();
        if (kept() && x.id % 2 == 0)
            resource_.deallocate(x.p);
        else
            resource_.deallocate(x.p, x.bytes);
        used_ -= units_for(x.bytes);
        join(static_cast<std::size_t>(x.p - base_) / unit, units_for(x.bytes));
    }

    void resize(std::size_t index, std::size_t bytes) {
        if (index >= live_.size())
            return;
        piece& x = live_[index];
        check(x);
        const std::size_t n = units_for(x.bytes), wanted = units_for(bytes);
        const std::size_t i = static_cast<std::size_t>(x.p - base_) / unit;
        const auto behind = holes_.find(i + n);
        const std::size_t room = n + (behind == holes_.end() ? 0 : behind->second);
        const bool fits = bytes != 0 && wanted <= room;
        if (resource_.try_resize(x.p, x.bytes, bytes) != fits)
            return wrong(fits ? "an allocation does not change its size though there is room"
                              : "an allocation changes its size without room");
        if (!fits)
            return;
        if (!pattern{x.id}.holds(x.p, std::min({x.bytes, bytes, std::size_t{2048}})))
            return wrong("a change of size lost the contents");
        if (behind != holes_.end())
            holes_.erase(behind);
        if (room != wanted)
            join(i + wanted, room - wanted);
        used_ = used_ - n + wanted;
        x.bytes = bytes;
        pattern{x.id}.write(x.p, bytes);
    }

    void check(const piece& x) {
        if (!pattern{x.id}.holds(x.p, x.bytes))
            wrong("memory was overwritten");
    }

    void check_usage() {
        const arenite::usage u = resource_.usage();
        std::size_t largest = 0;
        for (const auto& [first, n] : holes_)
            largest = std::max(largest, n);
        if (u.bytes_in_use != used_ * unit - live_.size() * lead_)
            wrong("bytes in use are not what is alive");
        if (u.live_allocations != live_.size())
            wrong("the count of allocations is wrong");
        if (u.largest_hole_bytes != (largest == 0 ? 0 : largest * unit - lead_))
            wrong("the largest hole is another");
        if (step() % 64 == 0) {
            const region_list list{resource_};
            if (list.count(region_state::free) != holes_.size())
                wrong("the list of regions shows other holes");
            if (list.count(region_state::used) != live_.size())
                wrong("the list of regions shows other allocations");
        }
    }

    arenite::free_list_resource& resource_;
    arenite::free_list_options options_;
    std::size_t lead_;
    std::byte* base_ = nullptr;
    std::size_t count_ = 0;
    std::map<std::size_t, std::size_t> holes_; // first unit, units; joined with their neighbours
    std::vector<piece> live_;
    std::size_t used_ = 0;
    std::uint64_t next_id_ = 1;
};

} // namespace support
