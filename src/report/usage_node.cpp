// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The tree of named resources. First joining and leaving, then reading and adding up, then text and
// JSON. Links among siblings belong to their parent, which one thread changes at a time; only the
// list of roots is of the process and needs the lock. Figures are not stored but read, with one
// exception: the high water of a sum is the highest that any reading has seen.
#include <arenite/report/usage_node.hpp>

#include <arenite/report/region_totals.hpp>

#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <ostream>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// Figures of a node at one moment.
struct usage_node::reading {
    arenite::usage figures;
    std::size_t free = 0; ///< held, and not in use

    [[nodiscard]] std::optional<double> fragmentation() const {
        const std::size_t hole = figures.largest_hole_bytes;
        if (hole == 0 || free == 0)
            return std::nullopt;
        return 1.0 - static_cast<double>(std::min(hole, free)) / static_cast<double>(free);
    }
};

namespace {

/// The nodes without a parent, as if they had one.
struct root_list {
    usage_node* first = nullptr;
    usage_node* last = nullptr;
};
constinit root_list roots;
struct of_roots;
detail::fork_lock<std::mutex>& roots_lock() noexcept {
    return detail::process_lock<std::mutex, of_roots>();
}

} // namespace

const usage_node* usage_node::first_root() noexcept {
    const std::lock_guard lock{roots_lock()};
    return roots.first;
}

/// Puts it after its siblings.
void usage_node::join() noexcept {
    std::unique_lock lock{roots_lock(), std::defer_lock};
    if (parent_ == nullptr)
        lock.lock();
    usage_node*& first = parent_ != nullptr ? parent_->first_ : roots.first;
    usage_node*& last = parent_ != nullptr ? parent_->last_ : roots.last;
    previous_ = last;
    next_ = nullptr;
    (previous_ != nullptr ? previous_->next_ : first) = this;
    last = this;
}

/// In constant time, as siblings are linked both ways.
void usage_node::leave() noexcept {
    std::unique_lock lock{roots_lock(), std::defer_lock};
    if (parent_ == nullptr)
        lock.lock();
    (previous_ != nullptr ? previous_->next_
     : parent_ != nullptr ? parent_->first_
                          : roots.first) = next_;
    (next_ != nullptr     ? next_->previous_
     : parent_ != nullptr ? parent_->last_
                          : roots.last) = previous_;
}

usage_node::usage_node(std::string_view name, usage_node* parent, const source& from)
    : name_{name}, source_{from}, parent_{parent} {
    join();
}

usage_node::~usage_node() {
    leave();
    for (usage_node* child = first_; child != nullptr;) {
        usage_node* const next = child->next_;
        child->parent_ = nullptr;
        // Children of a node that ends become roots: their resources go on.
        child->join();
        child = next;
    }
}

/// Reads the usage of the resource; of a sum without those below.
usage_node::reading usage_node::read_own(bool walk) const {
    reading now;
    if (source_.resource == nullptr)
        return now;
    now.figures = source_.usage(source_.resource);
    now.free =
        now.figures.bytes_reserved - std::min(now.figures.bytes_reserved, now.figures.bytes_in_use);
    // A walk over regions is exact and takes time in proportion; without it a resource tells the
    // hole that it knows of.
    if (walk && source_.list != nullptr) {
        region_totals totals;
        source_.list(source_.resource, totals);
        now.figures.largest_hole_bytes = totals.largest_hole_bytes();
        now.free = totals.free_bytes();
    }
    // A budget above the resource: a hole beyond it cannot be used.
    if (source_.left != nullptr) {
        const std::size_t left = source_.left(source_.resource);
        now.figures.largest_hole_bytes = std::min(now.figures.largest_hole_bytes, left);
        now.free = std::min(now.free, left);
    }
    return now;
}

/// Adds what one below tells, to a sum.
void usage_node::add_to(reading& sum, const reading& below) const noexcept {
    // A node with a resource tells that one's figures alone: those below it take their memory from
    // it, and would be counted twice.
    if (source_.resource != nullptr)
        return;
    sum.figures.bytes_in_use += below.figures.bytes_in_use;
    sum.figures.bytes_reserved += below.figures.bytes_reserved;
    sum.figures.high_water_bytes =
        std::max(sum.figures.high_water_bytes, below.figures.high_water_bytes);
    sum.figures.live_allocations += below.figures.live_allocations;
    sum.figures.largest_hole_bytes =
        std::max(sum.figures.largest_hole_bytes, below.figures.largest_hole_bytes);
    sum.free += below.free;
}

/// Whatever one below had in use at its most, the sum had too at that moment.
void usage_node::note_high_water(reading& whole) const noexcept {
    if (source_.resource == nullptr)
        whole.figures.high_water_bytes = high_water_ =
            std::max({high_water_, whole.figures.bytes_in_use, whole.figures.high_water_bytes});
}

usage_node::reading usage_node::read(bool walk) const {
    reading now = read_own(walk);
    for (const usage_node* child = first_; child != nullptr; child = child->next_)
        add_to(now, child->read(walk));
    note_high_water(now);
    return now;
}

/// Each resource below is asked once, and none is walked.
arenite::usage usage_node::usage() const { return read(false).figures; }

std::optional<double> usage_node::fragmentation(bool walk) const {
    return read(walk).fragmentation();
}

// ---- writing ------------------------------------------------------------------------------------

struct usage_node::writer {
    using line = std::array<std::string, 7>;

    const usage_report_options& options;
    std::vector<line> lines = {};

    [[nodiscard]] std::string size(std::size_t value) const {
        return options.exact ? detail::report_text::integer(value)
                             : detail::report_text::bytes(value);
    }

    reading add(const usage_node& n, const std::string& before, const std::string& below) {
        const std::size_t place = lines.size();
        // A place before its children's lines, filled when their figures are known.
        lines.emplace_back();
        reading now = n.read_own(options.walk);
        for (const usage_node* child = n.first_; child != nullptr; child = child->next_) {
            const bool last = child->next_ == nullptr;
            n.add_to(now,
                     add(*child, below + (last ? "`- " : "|- "), below + (last ? "   " : "|  ")));
        }
        n.note_high_water(now);
        const arenite::usage& u = now.figures;
        const std::optional<double> fragmentation = now.fragmentation();
        lines[place] = {
            {before + detail::report_text::visible(n.name_), size(u.bytes_in_use),
             size(u.bytes_reserved), size(u.high_water_bytes),
             knows_allocations(u) ? detail::report_text::integer(u.live_allocations) : "-",
             u.largest_hole_bytes != 0 ? size(u.largest_hole_bytes) : "-",
             fragmentation ? detail::report_text::percent(*fragmentation, 1) + " %" : "-"}};
        return now;
    }

    /// None are alive where nothing is in use, also of a resource that does not count them.
    static bool knows_allocations(const arenite::usage& u) noexcept {
        return u.live_allocations != 0 || u.bytes_in_use == 0;
    }

    reading json(const usage_node& n, std::string& to, const std::string& indent) const {
        reading now = n.read_own(options.walk);
        // The children are written first, as the sum before them needs their figures.
        std::string children;
        for (const usage_node* child = n.first_; child != nullptr; child = child->next_) {
            children += child == n.first_ ? "\n" : ",\n";
            n.add_to(now, json(*child, children, indent + "  "));
        }
        n.note_high_water(now);
        const arenite::usage& u = now.figures;
        const std::optional<double> fragmentation = now.fragmentation();
        const auto known = [](std::size_t value) {
            return value != 0 ? detail::report_text::integer(value) : std::string{"null"};
        };
        to += indent + "{\"name\": \"" + detail::report_text::json(n.name_) + "\"";
        to += ", \"bytes_in_use\": " + detail::report_text::integer(u.bytes_in_use);
        to += ", \"bytes_reserved\": " + detail::report_text::integer(u.bytes_reserved);
        to += ", \"high_water_bytes\": " + detail::report_text::integer(u.high_water_bytes);
        to += ", \"live_allocations\": ";
        to += knows_allocations(u) ? detail::report_text::integer(u.live_allocations)
                                   : std::string{"null"};
        to += ", \"largest_hole_bytes\": " + known(u.largest_hole_bytes);
        to += ", \"fragmentation\": ";
        to += fragmentation ? detail::report_text::decimal(*fragmentation, 4) : std::string{"null"};
        to += ", \"children\": [" + children + "]}";
        return now;
    }
};

/// Columns are as wide as their longest entry: lines are collected first.
void usage_node::write_text(std::ostream& out, const usage_report_options& options) const {
    writer w{options};
    w.lines.push_back(
        {{"", "in use", "reserved", "high water", "objects", "largest hole", "fragmentation"}});
    static_cast<void>(w.add(*this, "", ""));
    detail::report_text::table table{std::tuple_size_v<writer::line>};
    for (const writer::line& l : w.lines)
        table.add({l.begin(), l.end()});
    table.write(out);
}

void usage_node::write_json(std::ostream& out, const usage_report_options& options) const {
    std::string text;
    static_cast<void>(writer{options}.json(*this, text, ""));
    text += '\n';
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace ARENITE_ABI
} // namespace arenite
