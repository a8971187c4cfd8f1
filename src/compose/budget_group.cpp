// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A tree of budgets. take and give go from a group up to its root, if all have room; if one of them
// refuses all the same, those below it give back. Then warnings, which are called once a level is
// passed, and the limits themselves. All counts are relaxed atomics: a budget orders no memory, and
// a reader needs a figure, not a moment. Read refused_by() first, then try_take(); make_room()
// calls the user's evict, and tell() the user's on_level, both without any lock.
#include <arenite/compose/budget_group.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

/// Sums of two such numbers do not wrap around.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

/// Groups for which this thread is evicting: what it does meanwhile evicts nothing there.
struct eviction {
    const budget_group* group;
    const eviction* outer;
};
/// A list on the stack, the innermost first: evict may free and take in other groups, where another
/// eviction may begin.
constinit thread_local const eviction* evicting = nullptr;

} // namespace

budget_group::budget_group(const budget_group_options& options, budget_group* parent) noexcept
    : options_{options}, parent_{parent}, budget_{std::min(options.budget_bytes, most_bytes)} {
    if (!(options.warn_at >= 0 && options.warn_at <= options.critical_at &&
          options.critical_at <= 1))
        contract_violation("a budget_group warns at a share of 0 to 1 of its budget, and is "
                           "critical at that share or a larger one");
    if (parent != nullptr)
        // Only counted: a parent never reaches down, so that a request goes one way.
        parent->children_.fetch_add(1, std::memory_order_relaxed);
}

budget_group::~budget_group() {
    if (children_.load(std::memory_order_relaxed) != 0)
        contract_violation("a budget_group ends before its children");
    if (parent_ == nullptr)
        return;
    // Bytes that were never given back end with their group, and stop counting above it.
    if (in_use() != 0)
        parent_->give(in_use());
    parent_->children_.fetch_sub(1, std::memory_order_relaxed);
}

bool budget_group::try_take_here(std::uint64_t bytes) noexcept {
    const std::uint64_t most = budget_bytes();
    // A limit that was lowered may be below what is in use: then nothing is given, and the
    // difference is not computed.
    std::uint64_t used = in_use();
    do {
        if (used > most || bytes > most - used)
            return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
}

void budget_group::note_most(std::uint64_t used) noexcept {
    std::uint64_t seen = high_water();
    while (seen < used && !most_.compare_exchange_weak(seen, used, std::memory_order_relaxed)) {
    }
}

void budget_group::add(std::uint64_t bytes) noexcept {
    for (budget_group* g = this; g != nullptr; g = g->parent_)
        g->note_most(g->used_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
    tell_all();
}

void budget_group::tell_all() noexcept {
    for (budget_group* g = this; g != nullptr; g = g->parent_)
        g->tell(*this);
}

bool budget_group::has_room(std::uint64_t bytes) const noexcept {
    const std::uint64_t most = budget_bytes();
    const std::uint64_t used = in_use();
    return used <= most && bytes <= most - used;
}

/// nullptr: all have given their bytes. Otherwise none has; nor for a moment, in which other
/// requests would fail, unless the group that refuses had room just before.
budget_group* budget_group::refused_by(std::uint64_t bytes) noexcept {
    // A first look, without writing: a group that is full for long would otherwise see each request
    // of its children rise and fall again.
    for (budget_group* g = this; parent_ != nullptr && g != nullptr; g = g->parent_)
        if (!g->has_room(bytes))
            return g;
    for (budget_group* g = this; g != nullptr; g = g->parent_) {
        if (g->try_take_here(bytes))
            continue;
        for (budget_group* taken = this; taken != g; taken = taken->parent_)
            taken->give_here(bytes);
        return g;
    }
    return nullptr;
}

bool budget_group::try_take(std::uint64_t bytes) noexcept {
    if (!hold(bytes))
        return false;
    note_held();
    return true;
}

bool budget_group::hold(std::uint64_t bytes) noexcept {
    while (budget_group* const full = refused_by(bytes)) {
        // A request above the whole budget evicts nothing: it could never be met.
        if (bytes <= full->budget_bytes() && full->make_room(bytes))
            continue;
        full->refusals_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    return true;
}

void budget_group::note_held() noexcept {
    for (budget_group* g = this; g != nullptr; g = g->parent_)
        g->note_most(g->in_use());
    tell_all();
}

/// True if it is worth another try.
bool budget_group::make_room(std::uint64_t bytes) noexcept {
    if (options_.evict == nullptr)
        return false;
    for (const eviction* e = evicting; e != nullptr; e = e->outer)
        // Bytes that evict itself takes must not evict from the same group again.
        if (e->group == this)
            return false;
    const eviction mine{this, evicting};
    evicting = &mine;
    const bool some = options_.evict(*this, bytes, options_.user);
    evicting = mine.outer;
    return some;
}

void budget_group::give_here(std::uint64_t bytes) noexcept {
    [[maybe_unused]] const std::uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    ARENITE_ASSERT(before >= bytes, "more was given back to a budget_group than was taken");
    // It may rise again: told_ follows downward here, and upward where handlers hear of it.
    budget_level told = told_.load(std::memory_order_relaxed);
    if (told == budget_level::normal) [[likely]]
        return;
    const budget_level now = level();
    while (now < told && !told_.compare_exchange_weak(told, now, std::memory_order_relaxed)) {
    }
}

void budget_group::give(std::uint64_t bytes) noexcept {
    for (budget_group* g = this; g != nullptr; g = g->parent_)
        g->give_here(bytes);
}

void budget_group::tell(budget_group& grower) noexcept {
    const budget_level now = level();
    budget_level told = told_.load(std::memory_order_relaxed);
    do {
        if (now <= told) [[likely]]
            return;
    } while (!told_.compare_exchange_weak(told, now, std::memory_order_relaxed));
    // The nearest handler upward hears of groups that have none.
    const budget_group* teller = this;
    while (teller->options_.on_level == nullptr) {
        teller = teller->parent_;
        if (teller == nullptr)
            return;
    }
    teller->options_.on_level(*this, grower, now, teller->options_.user);
}

void budget_group::set_budget(std::uint64_t bytes) noexcept {
    budget_.store(std::min(bytes, most_bytes), std::memory_order_relaxed);
    // A larger budget may end a level that was told, a smaller one may begin one.
    give_here(0);
    tell(*this);
}

budget_level budget_group::level_of(std::uint64_t bytes) const noexcept {
    const double share = static_cast<double>(budget_bytes());
    const double used = static_cast<double>(bytes);
    if (used > share * options_.critical_at)
        return budget_level::critical;
    return used > share * options_.warn_at ? budget_level::warning : budget_level::normal;
}

std::size_t budget_group::left_bytes() const noexcept {
    std::uint64_t left = std::numeric_limits<std::size_t>::max();
    for (const budget_group* g = this; g != nullptr; g = g->parent_) {
        const std::uint64_t budget = g->budget_bytes();
        left = std::min(left, budget - std::min(budget, g->in_use()));
    }
    return static_cast<std::size_t>(left);
}

arenite::usage budget_group::usage() const noexcept {
    const auto fits = [](std::uint64_t n) {
        constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
        return static_cast<std::size_t>(std::min(n, most));
    };
    const std::uint64_t used = in_use();
    return {.bytes_in_use = fits(used),
            .bytes_reserved = fits(used),
            .high_water_bytes = fits(std::max(used, high_water()))};
}

} // namespace ARENITE_ABI
} // namespace arenite
