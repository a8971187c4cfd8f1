// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/soa/records.hpp>

#include "support/driver.hpp"
#include "support/fragile.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// A row of bytes, text, an odd alignment, and a number that may throw.
template <bool MovesFreely>
struct fragile_row {
    std::uint8_t small = 1;
    std::string text = "none";
    fragile<MovesFreely> number = 7;
    double wide = 0.5;
};

/// The values of a fragile_row.
struct row_model {
    std::uint8_t small = 1;
    std::string text = "none";
    int number = 7;
    double wide = 0.5;
};

/// Programs of operations on records (see operations.hpp) beside a std::vector, while copies, moves
/// and the upstream fail: where an operation throws, nothing may have changed.
template <class Layout, bool MovesFreely>
class records_operations : public driver {
public:
    using row = fragile_row<MovesFreely>;
    using rows = arenite::records<row, Layout>;

    /// `fail(n)` makes the n-th request from now on to the upstream of r fail, n of 0 the next one;
    /// a negative one lets all succeed.
    template <class Fail>
    records_operations(rows& r, Fail fail) : rows_{r}, fail_{std::move(fail)} {}

private:
    using model = std::vector<row_model>;
    static constexpr std::size_t most_rows = 200;

    static row made(const row_model& m) { return {m.small, m.text, m.number, m.wide}; }

    row_model some_row(decisions& source) {
        const std::uint8_t b = source.byte();
        return {b, std::string(b % 40u, 'x'), static_cast<int>(step()), b / 4.0};
    }

    void end() override {
        rows_.clear();
        if (fragile_count::live != 0)
            wrong("a value lives in empty records");
    }

    void one(decisions& source) override {
        const std::uint8_t kind = source.byte();
        const std::size_t size = model_.size();
        const std::size_t at = below(size + 1);
        const row_model m = some_row(source);
        const bool room = size < most_rows;
        // One of four operations meets a copy that throws, one an upstream that fails.
        const std::uint8_t trouble = source.byte();
        const auto place = static_cast<std::ptrdiff_t>(at);
        model next = model_;

        switch (kind % 22) {
        case 0:
        case 1:
        case 2:
            if (room)
                act(
                    trouble, next, [&](row&& r) { rows_.push_back(r); }, [&] { next.push_back(m); },
                    m);
            break;
        case 3: // its own row
            if (room && size != 0)
                act(
                    trouble, next, [&](row&&) { rows_.push_back(rows_[at % size]); },
                    [&] { next.push_back(model_[at % size]); }, m);
            break;
        case 4: // members of its own row
            if (room && size != 0)
                act(
                    trouble, next,
                    [&](row&&) {
                        auto own = rows_[at % size];
                        rows_.emplace_back(own.template get<0>(), own.template get<1>(),
                                           own.template get<2>(), own.template get<3>());
                    },
                    [&] { next.push_back(model_[at % size]); }, m);
            break;
        case 5:
        case 6:
            if (room)
                act(
                    trouble, next,
                    [&](row&& r) { rows_.insert(rows_.begin() + place, std::move(r)); },
                    [&] { next.insert(next.begin() + place, m); }, m);
            break;
        case 7:
            if (size != 0)
                act(
                    trouble, next, [&](row&&) { rows_.erase(rows_.begin() + place % long(size)); },
                    [&] { next.erase(next.begin() + place % long(size)); }, m);
            break;
        case 8: {
            const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(m.small, size - at));
            act(
                trouble, next,
                [&](row&&) { rows_.erase(rows_.begin() + place, rows_.begin() + place + n); },
                [&] { next.erase(next.begin() + place, next.begin() + place + n); }, m);
            break;
        }
        case 9:
            if (size != 0)
                act(
                    trouble, next, [&](row&&) { rows_.swap_erase(at % size); },
                    [&] {
                        next[at % size] = next.back();
                        next.pop_back();
                    },
                    m);
            break;
        case 10:
            act(
                trouble, next, [&](row&&) { rows_.reserve(m.small); }, [] {}, m);
            break;
        case 11:
            act(
                trouble, next, [&](row&&) { rows_.resize(m.small % most_rows); },
                [&] { next.resize(m.small % most_rows); }, m);
            break;
        case 12:
            act(
                trouble, next, [&](row&& r) { rows_.resize(m.small % most_rows, r); },
                [&] { next.resize(m.small % most_rows, m); }, m);
            break;
        case 13:
            if (size != 0)
                act(
                    trouble, next, [&](row&&) { rows_.pop_back(); }, [&] { next.pop_back(); }, m);
            break;
        case 14:
            act(
                trouble, next, [&](row&&) { rows_.shrink_to_fit(); }, [] {}, m);
            break;
        case 15: // a copy takes its place
            act(
                trouble, next,
                [&](row&&) {
                    rows copy{rows_};
                    rows_ = copy;
                    rows moved{std::move(copy)};
                    swap(rows_, moved);
                },
                [] {}, m);
            break;
        default:
            ranges(kind % 22, at, m, trouble);
        }
        check();
    }

    /// Operations on several rows at once, some of them with the container's own.
    void ranges(int kind, std::size_t at, const row_model& m, std::uint8_t trouble) {
        const std::size_t size = model_.size();
        const std::size_t n = m.small % 8u;
        const std::size_t first = at - std::min(at, n); // own rows [first, at)
        const auto place = static_cast<std::ptrdiff_t>(at);
        const auto own_begin = static_cast<std::ptrdiff_t>(first);
        const bool room = size + n < most_rows;
        const auto doomed = [&m](int number) { return number % 3 == m.small % 3; };
        model next = model_;

        switch (kind) {
        case 16:
            if (room)
                act(
                    trouble, next,
                    [&](row&& r) { rows_.insert(rows_.begin() + place, n, std::as_const(r)); },
                    [&] { next.insert(next.begin() + place, n, m); }, m);
            break;
        case 17:
            if (room)
                act(
                    trouble, next,
                    [&](row&&) {
                        rows_.insert(rows_.begin() + own_begin, rows_.begin() + own_begin,
                                     rows_.begin() + place);
                    },
                    [&] {
                        next.insert(next.begin() + own_begin, model_.begin() + own_begin,
                                    model_.begin() + place);
                    },
                    m);
            break;
        case 18: // what can be gone through only once
            if (room)
                act(
                    trouble, next,
                    [&](row&& r) {
                        const std::vector<row> all(n, r);
                        rows_.append_range(once{all.data(), all.data() + n});
                    },
                    [&] { next.insert(next.end(), n, m); }, m);
            break;
        case 19:
            act(
                trouble, next, [&](row&& r) { rows_.assign(n, r); }, [&] { next.assign(n, m); }, m);
            break;
        case 20:
            act(
                trouble, next,
                [&](row&&) { rows_.assign(rows_.begin() + own_begin, rows_.begin() + place); },
                [&] { next.assign(model_.begin() + own_begin, model_.begin() + place); }, m);
            break;
        case 21:
            act(
                0, next,
                [&](row&&) {
                    erase_if(rows_, [&](auto r) { return doomed(r.template get<2>().get()); });
                },
                [&] { std::erase_if(next, [&](auto& r) { return doomed(r.number); }); }, m);
            break;
        }
    }

    /// Rows that an iterator goes through once.
    struct once {
        struct iterator {
            using value_type = row;
            using difference_type = std::ptrdiff_t;
            const row* at;
            const row& operator*() const { return *at; }
            iterator& operator++() {
                ++at;
                return *this;
            }
            void operator++(int) { ++at; }
            bool operator==(const row* end) const { return at == end; }
        };
        const row* first;
        const row* last;
        [[nodiscard]] iterator begin() const { return {first}; }
        [[nodiscard]] const row* end() const { return last; }
    };

    /// Does it to the records, and where that went well to the model.
    template <class ToRows, class ToModel>
    void act(std::uint8_t trouble, model& next, ToRows to_rows, ToModel to_model,
             const row_model& m) {
        row value = made(m);
        bool done = false;
#if ARENITE_EXCEPTIONS
        try {
            if (trouble % 4 == 1)
                fragile_count::throw_after(trouble / 4 % 32);
            if (trouble % 4 == 2)
                fail_(trouble / 4 % 3);
            to_rows(std::move(value));
            done = true;
        } catch (const std::exception&) {
        }
        fragile_count::never_throw();
        fail_(-1);
#else
        static_cast<void>(trouble);
        to_rows(std::move(value));
        done = true;
#endif
        if (done) {
            to_model();
            model_ = std::move(next);
        }
    }

    void check() {
        if (rows_.size() != model_.size())
            return wrong("there are more or less rows than in a vector");
        if (fragile_count::live != static_cast<std::ptrdiff_t>(model_.size()))
            return wrong("other values live than those of the rows");
        std::size_t i = 0;
        for (auto r : std::as_const(rows_)) {
            const row_model& m = model_[i++];
            const auto& [small, text, number, wide] = r;
            if (small != m.small || text != m.text || number.get() != m.number || wide != m.wide)
                return wrong("a row is not what it is in a vector");
        }
        if (fragile_count::misplaced != 0)
            wrong("a value was used where it does not live");
        if (rows_.capacity() < rows_.size())
            wrong("the capacity is less than the size");
    }

    rows& rows_;
    std::function<void(int)> fail_;
    model model_;
};

} // namespace support
