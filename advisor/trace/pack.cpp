// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "pack.hpp"

#include "reader.hpp"
#include "writer.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

namespace arenite::trace {
namespace {

/// The tables of a trace, as far as they are read, for one that is written.
class tables_copied {
public:
    explicit tables_copied(writer& to) : to_{to} {}

    /// Writes what is new. Events that refer to it come later.
    void follow(const tables& known) {
        to_.put_modules(std::span{known.modules}.subspan(modules_));
        modules_ = known.modules.size();
        std::vector<std::vector<frame>> stacks;
        for (; stacks_ < known.stacks(); ++stacks_) {
            const auto frames = known.stack(static_cast<std::uint32_t>(stacks_));
            stacks.emplace_back(frames.begin(), frames.end());
        }
        to_.put_stacks(stacks);
    }

private:
    writer& to_;
    std::size_t modules_ = 1, stacks_ = 1; ///< 0 stands for what is not known
};

/// Numbers in the place of addresses.
class birth_numbers {
public:
    void replace(event& e) {
        if (is_allocation(e.what)) {
            e.address = born(e.address);
        } else if (is_free(e.what) || e.what == op::resize_begins) {
            e.address = died(e.address);
            if (e.what == op::resize_begins)
                resizing_[e.thread] = e.address;
        } else if (e.what == op::realloc) {
            resize(e);
        }
    }

private:
    void resize(event& e) {
        if (e.bytes == bytes_as_before) { // it failed: the object stays as it was
            const std::uint64_t now = e.address;
            const std::uint64_t number =
                e.old_address != 0 ? died(e.old_address) : resizing_[e.thread];
            if (e.old_address != 0)
                e.old_address = number;
            e.address = number;
            numbers_[now] = number;
            return;
        }
        if (e.old_address != 0)
            e.old_address = died(e.old_address);
        e.address = born(e.address);
    }
    std::uint64_t born(std::uint64_t address) {
        last_ += 16;
        numbers_[address] = last_;
        return last_;
    }
    /// An object that was never seen born gets a number that nothing else has.
    std::uint64_t died(std::uint64_t address) {
        const auto it = numbers_.find(address);
        if (it == numbers_.end())
            return last_ += 16;
        const std::uint64_t number = it->second;
        numbers_.erase(it);
        return number;
    }

    std::uint64_t last_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
    std::unordered_map<std::uint32_t, std::uint64_t> resizing_; ///< by thread
};

bool has_observations(const std::string& path) {
    const auto from = open(path);
    for (;;) {
        const bool is_last = from->next().empty();
        if (!from->observations().empty())
            return true;
        if (is_last)
            return false;
    }
}

} // namespace

pack_counts pack(const std::string& path, writer& to) {
    pack_counts counts;
    counts.keeps_addresses = has_observations(path);
    const auto from = open(path);
    tables_copied copied{to};
    birth_numbers numbers;
    for (bool more = true; more;) {
        const auto events = from->next();
        more = !events.empty();
        // Tables that this span refers to may stand behind events that wait in the writer: before
        // those of the span all the same.
        copied.follow(from->known());
        auto looks = from->observations();
        for (std::size_t i = 0; i < events.size(); ++i) {
            for (; !looks.empty() && looks.front().before <= i; looks = looks.subspan(1))
                to.put(looks.front());
            event e = events[i];
            if (!counts.keeps_addresses)
                numbers.replace(e);
            to.put(e);
            ++counts.events;
        }
        for (const observation& last : looks)
            to.put(last);
    }
    to.flush();
    const tables& known = from->known();
    const std::vector<std::pair<frame, name>> names{known.names.begin(), known.names.end()};
    to.put_names(names);
    counts.damage = from->damage();
    auto about = known.about;
    if (counts.damage.empty()) // files of older kinds do not tell how the program ended
        about.try_emplace("end", "not known");
    to.put_about(about);
    return counts;
}

} // namespace arenite::trace
