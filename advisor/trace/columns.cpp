// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "columns.hpp"

namespace arenite::trace {
namespace {

constexpr std::uint64_t time_unit = 128;
constexpr unsigned newest_bits = 15;

std::size_t place_of(std::uint64_t address) {
    return static_cast<std::size_t>((address >> 3) * 0x9E3779B97F4A7C15u >> (64 - newest_bits));
}

std::uint64_t folded(std::int64_t value) { // the sign to the end
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

/// Addresses differ by a multiple of 8 nearly always: then an eighth of it is stored.
void put_difference(buffer& to, std::uint64_t value, std::uint64_t from) {
    const auto difference = static_cast<std::int64_t>(value - from);
    if (difference % 8 == 0)
        put(to, folded(difference / 8) << 1);
    else
        put(to, folded(difference) << 1 | 1);
}
std::uint64_t take_from(input& in, std::uint64_t from) {
    const std::uint64_t told = in.number();
    const auto difference = static_cast<std::uint64_t>(unfolded(told >> 1));
    return from + (told & 1 ? difference : difference * 8);
}

} // namespace

columns::columns() : newest_(std::size_t{1} << newest_bits) {}

/// Where an object that ends or is resized is: how many allocations ago, or its address.
std::uint8_t columns::put_object(std::uint64_t address) {
    const std::uint32_t at = newest_[place_of(address)];
    if (at != 0 && next_.allocations[at - 1].address == address) {
        trace::put(columns_[places], next_.allocations.size() - at);
        return of_chunk;
    }
    put_difference(columns_[places], address, next_.freed);
    next_.freed = address;
    return 0;
}

void columns::put_size(std::uint8_t& op, std::uint64_t size, std::uint64_t& expected) {
    if (size == expected)
        op |= expected_size;
    else
        trace::put(columns_[sizes], size);
    expected = size;
}

void columns::born(std::uint64_t address, std::uint64_t size) {
    next_.allocations.push_back({address, size});
    newest_[place_of(address)] = static_cast<std::uint32_t>(next_.allocations.size());
}

void columns::put(const event& e) {
    if (count_ == 0) {
        first_time_ = next_.time = e.time;
        first_thread_ = next_.thread = e.thread;
    }
    ++count_;
    auto op = static_cast<std::uint8_t>(e.what);
    if (e.thread != next_.thread) {
        op |= other_thread;
        trace::put(columns_[threads], e.thread);
        next_.thread = e.thread;
    }
    const std::uint64_t units = e.time > next_.time ? (e.time - next_.time) / time_unit : 0;
    trace::put(columns_[times], units);
    next_.time += units * time_unit;

    if (is_allocation(e.what) || e.what == trace::op::realloc) {
        std::uint64_t from = next_.address_for(e.bytes);
        if (e.what == trace::op::realloc) {
            if (e.old_address != 0) {
                op = static_cast<std::uint8_t>(op | told | put_object(e.old_address));
                from = e.old_address;
            }
        } else if (e.log2_alignment != 0) {
            op |= told;
            columns_[alignments].push_back(e.log2_alignment);
        }
        put_difference(columns_[places], e.address, from);
        next_.address_for(e.bytes) = e.address;
        trace::put(columns_[stacks], e.stack);
        put_size(op, e.bytes, next_.bytes_of(e.stack));
        born(e.address, e.bytes);
    } else if (e.what == trace::op::mark) {
        trace::put(columns_[places], e.address);
    } else {
        op = static_cast<std::uint8_t>(op | put_object(e.address));
        std::uint64_t expected = 0;
        if (op & of_chunk && e.what != trace::op::free && e.what != trace::op::resize_begins)
            expected = next_.allocations[newest_[place_of(e.address)] - 1].bytes;
        put_size(op, e.bytes, expected);
    }
    columns_[ops].push_back(op);
}

buffer columns::take() {
    buffer all;
    trace::put(all, first_time_);
    for (buffer& c : columns_) {
        trace::put(all, c.size());
        all.insert(all.end(), c.begin(), c.end());
        c.clear();
    }
    next_ = expectation{};
    newest_.assign(newest_.size(), 0);
    count_ = 0;
    return all;
}

bool decode(std::span<const std::uint8_t> from, std::uint32_t count, std::uint32_t first_thread,
            std::vector<event>& to) {
    using c = columns;
    to.clear();
    if (count > most_events)
        return false;
    input in{from};
    expectation next;
    next.time = in.number();
    next.thread = first_thread;
    std::vector<input> column;
    for (int i = 0; i < c::column_count; ++i)
        column.emplace_back(in.part(in.number()));
    if (!in.good() || column[c::ops].left() != count)
        return false;
    to.reserve(count);
    bool good = true;
    std::size_t object = 0; // of the chunk, the latest that was named
    const auto take_object = [&](std::uint8_t op) {
        if (op & c::of_chunk) {
            const std::uint64_t age = column[c::places].number();
            if (age >= next.allocations.size()) {
                good = false;
                return std::uint64_t{0};
            }
            object = next.allocations.size() - 1 - static_cast<std::size_t>(age);
            return next.allocations[object].address;
        }
        return next.freed = take_from(column[c::places], next.freed);
    };
    for (std::uint32_t i = 0; i < count && good; ++i) {
        const std::uint8_t op = column[c::ops].byte();
        event e;
        e.what = static_cast<trace::op>(op & 15);
        if (op & c::other_thread)
            next.thread = static_cast<std::uint32_t>(column[c::threads].number());
        e.thread = next.thread;
        next.time += column[c::times].number() * time_unit;
        e.time = next.time;
        if (is_allocation(e.what) || e.what == trace::op::realloc) {
            const bool resized = e.what == trace::op::realloc;
            if (op & c::told && !resized) {
                e.log2_alignment = column[c::alignments].byte();
                good = good && e.log2_alignment < 48;
            }
            if (op & c::told && resized)
                e.old_address = take_object(op);
            // The size tells from which address the difference counts, and the stack the size.
            const std::uint64_t stack = column[c::stacks].number();
            good = good && stack < most_stacks; // tables are as long as the largest number
            e.stack = good ? static_cast<std::uint32_t>(stack) : 0;
            std::uint64_t& expected = next.bytes_of(e.stack);
            if (!(op & c::expected_size))
                expected = column[c::sizes].number();
            e.bytes = expected;
            std::uint64_t& last = next.address_for(e.bytes);
            e.address = take_from(column[c::places], e.old_address != 0 ? e.old_address : last);
            last = e.address;
            next.allocations.push_back({e.address, e.bytes});
        } else if (e.what == trace::op::mark) {
            e.address = column[c::places].number();
        } else if (is_free(e.what) || e.what == trace::op::resize_begins) {
            e.address = take_object(op);
            std::uint64_t expected = 0;
            if (op & c::of_chunk && e.what != trace::op::free &&
                e.what != trace::op::resize_begins && good)
                expected = next.allocations[object].bytes;
            e.bytes = op & c::expected_size ? expected : column[c::sizes].number();
        } else {
            good = false;
        }
        for (const input& each : column)
            good = good && each.good();
        if (good)
            to.push_back(e);
    }
    return good;
}

} // namespace arenite::trace
