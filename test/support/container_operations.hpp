// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/operations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace support {

/// The containers that a program works on: lists, sets, hash tables and arrays of one family of
/// allocators, which exchange what they hold. Allocator<T> is made by make.
template <template <class> class Allocator, class Make>
class container_world {
public:
    explicit container_world(Make make) : make_(std::move(make)) {
        for (std::size_t i = 0; i < count; ++i) {
            lists_.emplace_back(make_.template operator()<int>(i));
            sets_.emplace_back(make_.template operator()<int>(i));
            tables_.emplace_back(make_.template operator()<std::pair<const int, int>>(i));
            arrays_.emplace_back(make_.template operator()<int>(i));
        }
    }

    template <class Source>
    void one(Source& source) {
        const unsigned operation = source.byte();
        const std::size_t i = source.byte() % count;
        const std::size_t k = source.byte() % count;
        const int value = source.byte();
        if (lists_[k].size() + sets_[k].size() > 4000) { // copies and merges would double for ever
            lists_[k].clear();
            sets_[k].clear();
        }
        switch (operation % 16) {
        case 0:
        case 1:
        case 2: // some or many, enough for a pool of one's own
            for (int n = operation < 32 ? 20 * value : value % 16; n > 0; --n) {
                lists_[i].push_back(n * value % 251);
                sets_[k].insert(n * value % 251);
                tables_[i].emplace(n * value, n);
            }
            break;
        case 3:
            for (int n = value; n > 0 && !lists_[i].empty(); --n)
                n % 2 != 0 ? lists_[i].pop_front() : lists_[i].pop_back();
            break;
        case 4:
            sets_[i].erase(value);
            tables_[i].erase(value);
            lists_[i].remove(value);
            break;
        case 5:
            if (i != k)
                lists_[i].splice(lists_[i].begin(), lists_[k]);
            break;
        case 6:
            if (i != k) {
                const auto end = std::next(lists_[k].begin(),
                                           static_cast<std::ptrdiff_t>(std::min(
                                               lists_[k].size(), static_cast<std::size_t>(value))));
                lists_[i].splice(lists_[i].end(), lists_[k], lists_[k].begin(), end);
            }
            break;
        case 7:
            if (i != k) {
                sets_[i].merge(sets_[k]);
                tables_[i].merge(tables_[k]);
            }
            break;
        case 8:
            sets_[i].insert(sets_[k].extract(value));
            tables_[i].insert(tables_[k].extract(value));
            break;
        case 9:
            std::swap(lists_[i], lists_[k]);
            sets_[i].swap(sets_[k]);
            tables_[i].swap(tables_[k]);
            arrays_[i].swap(arrays_[k]);
            break;
        case 10:
            lists_[i] = lists_[k];
            sets_[i] = sets_[k];
            arrays_[i] = arrays_[k];
            break;
        case 11:
            if (i != k) {
                lists_[i] = std::move(lists_[k]);
                sets_[i] = std::move(sets_[k]);
                tables_[i] = std::move(tables_[k]);
                lists_[k].clear();
                sets_[k].clear();
                tables_[k].clear();
            }
            break;
        case 12:
            lists_[i].clear();
            sets_[k].clear();
            break;
        case 13: // end and begin anew, while what was spliced away lives on
            lists_[i] = list(make_.template operator()<int>(k));
            sets_[i] = set(make_.template operator()<int>(k));
            break;
        case 14:
            arrays_[i].resize(static_cast<std::size_t>(value) * (operation < 32 ? 100 : 1), value);
            break;
        default:
            arrays_[i].shrink_to_fit();
            lists_[k].sort();
            tables_[k].rehash(static_cast<std::size_t>(value));
        }
    }

    /// All that is in them; of hash tables in order.
    [[nodiscard]] std::vector<int> contents() const {
        std::vector<int> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.insert(all.end(), lists_[i].begin(), lists_[i].end());
            all.push_back(-1);
            all.insert(all.end(), sets_[i].begin(), sets_[i].end());
            all.push_back(-2);
            const std::map<int, int> sorted(tables_[i].begin(), tables_[i].end());
            for (const auto& [key, value] : sorted)
                all.insert(all.end(), {key, value});
            all.push_back(-3);
            all.insert(all.end(), arrays_[i].begin(), arrays_[i].end());
        }
        return all;
    }

private:
    static constexpr std::size_t count = 3;

    using list = std::list<int, Allocator<int>>;
    using set = std::multiset<int, std::less<>, Allocator<int>>;
    using table = std::unordered_map<int, int, std::hash<int>, std::equal_to<>,
                                     Allocator<std::pair<const int, int>>>;

    Make make_;
    std::vector<list> lists_;
    std::vector<set> sets_;
    std::vector<table> tables_;
    std::vector<std::vector<int, Allocator<int>>> arrays_;
};

/// One program on two worlds, of which the first has std::allocator; what is wrong, or "".
template <template <class> class Allocator, class Make, class Source>
[[nodiscard]] std::string run_containers(Make make, Source& source) {
    const auto standard = []<class T>(std::size_t) { return std::allocator<T>{}; };
    container_world<std::allocator, decltype(standard)> model{standard};
    container_world<Allocator, Make> subject{std::move(make)};
    for (std::size_t step = 1; source.more(); ++step) {
        std::array<std::uint8_t, 4> decision{};
        for (std::uint8_t& byte : decision)
            byte = source.byte();
        byte_source first{decision.data(), decision.size()};
        byte_source second = first;
        model.one(first);
        subject.one(second);
        if (step % 16 == 0 && model.contents() != subject.contents())
            return "containers differ after step " + std::to_string(step);
    }
    return model.contents() == subject.contents() ? "" : "containers differ at the end";
}

} // namespace support
