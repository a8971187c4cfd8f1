// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <analysis/candidates.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <trace/reader.hpp>
#include <trace/writer.hpp>
#include <unistd.h>
#include <utility>
#include <vector>

namespace arenite::advisor {

using trace::op;

/// A program as it would be recorded: call sites are functions, their objects have numbers.
class made_up_program {
public:
    made_up_program()
        : path_{std::filesystem::temp_directory_path() /
                ("arenite-made-up-" + std::to_string(::getpid()) + ".trace")},
          to_{std::make_unique<trace::writer>(path_)} {
        const trace::module modules[]{{"/bin/program", ""}};
        to_->put_modules(modules);
    }
    ~made_up_program() { std::filesystem::remove(path_); }
    made_up_program(const made_up_program&) = delete;
    made_up_program& operator=(const made_up_program&) = delete;

    /// A call site: the innermost function first.
    std::uint32_t called(const std::vector<std::string>& functions) {
        std::vector<trace::frame> stack;
        for (const std::string& f : functions) {
            stack.push_back({1, 100 + offset_ * 16});
            ++offset_;
            if (!f.empty()) // else it has no symbol
                names_.push_back({stack.back(), {f, "program.cpp", offset_}});
        }
        const std::vector<std::vector<trace::frame>> stacks{stack};
        to_->put_stacks(stacks);
        return ++stacks_;
    }
    std::uint64_t make(std::uint32_t at, std::uint64_t bytes, std::uint32_t thread = 0) {
        to_->put({.address = ++objects_ * 64, .bytes = bytes, .stack = at, .thread = thread});
        return objects_;
    }
    void end(std::uint64_t object, std::uint32_t thread = 0) {
        to_->put({.address = object * 64, .thread = thread, .what = op::free});
    }
    /// A realloc that found no room behind the object.
    void move(std::uint64_t& object, std::uint64_t bytes, std::uint32_t at) {
        to_->put({.address = ++objects_ * 64,
                  .old_address = object * 64,
                  .bytes = bytes,
                  .stack = at,
                  .what = op::realloc});
        object = objects_;
    }
    void resize(std::uint64_t object, std::uint64_t bytes, std::uint32_t at) {
        to_->put({.address = object * 64,
                  .old_address = object * 64,
                  .bytes = bytes,
                  .stack = at,
                  .what = op::realloc});
    }

    /// A burst that uses these objects.
    void walk(const std::vector<std::uint64_t>& objects) {
        trace::observation seen;
        seen.instructions = static_cast<std::uint32_t>(objects.size() * 4);
        for (const std::uint64_t o : objects)
            seen.accesses.push_back({o * 64, false});
        to_->put(std::move(seen));
    }

    struct proposals {
        std::vector<candidate> all;
        std::vector<site> sites;

        [[nodiscard]] const candidate* find(remedy what) const {
            for (const candidate& c : all)
                if (c.what == what)
                    return &c;
            return nullptr;
        }
        [[nodiscard]] std::string names(remedy what) const {
            std::string text;
            if (const candidate* c = find(what))
                for (const std::size_t i : c->sites)
                    text += (text.empty() ? "" : ", ") + sites[i].name;
            return text;
        }
    };
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    proposals propose() {
        to_->put_names(names_);
        to_.reset();
        const auto from = trace::open(path_);
        const profile p{*from};
        symbols none;
        proposals made{{}, sites_of(p, from->known(), none)};
        made.all = find_candidates(p, made.sites);
        return made;
    }

private:
    std::string path_;
    std::unique_ptr<trace::writer> to_;
    std::vector<std::pair<trace::frame, trace::name>> names_;
    std::uint32_t offset_ = 0, stacks_ = 0;
    std::uint64_t objects_ = 0;
};

/// Objects that come and go in random order.
inline void churn(made_up_program& p, const std::function<std::uint64_t(std::mt19937&)>& make) {
    std::mt19937 random{11};
    std::vector<std::uint64_t> live;
    for (int i = 0; i < 4000; ++i) {
        live.push_back(make(random));
        if (live.size() > 800) {
            std::swap(live[random() % live.size()], live.back());
            p.end(live.back());
            live.pop_back();
        }
    }
}

/// The proposals for objects of 48 bytes that a library's function makes for Index::add.
inline made_up_program::proposals for_nodes_of(const std::string& function) {
    made_up_program p;
    const auto node = p.called({function, "Index::add"});
    churn(p, [&](std::mt19937&) { return p.make(node, 48); });
    made_up_program::proposals found = p.propose();
    EXPECT_EQ(found.sites.size(), 1u) << function;
    found.sites.resize(1);
    return found;
}

} // namespace arenite::advisor
