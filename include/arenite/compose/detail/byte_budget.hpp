// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/headroom.hpp>
#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Bytes in use, a limit on them, and a mark below it above which requests take the slow path.
///
///     0 ......................... mark ............. limit
///     take_quickly: two instructions    take: looks
///
/// Stores the headroom up to the mark. A careful budget acts as if it were always above it: the
/// quick paths never succeed.
///
/// Limits:    at most PTRDIFF_MAX / 2 bytes; the mark is not above the limit.
/// Threads:   one at a time; byte_budget<true> any.
template <bool Concurrent>
class byte_budget {
public:
    static constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;

    byte_budget(std::size_t mark, std::size_t limit, bool careful) noexcept
        : room_{mark, careful}, mark_{mark}, limit_{limit} {}

    /// Adds to the bytes in use; true if they stay within the mark. If false, the next call must be
    /// undo_take(), after which nothing has changed.
    [[nodiscard]] ARENITE_INLINE bool take_quickly(std::size_t bytes) noexcept {
        return room_.take(bytes);
    }

    /// Adds to the bytes in use, and returns their previous value; nullopt if they would exceed the
    /// limit.
    [[nodiscard]] std::optional<std::size_t> take(std::size_t bytes) noexcept {
        const std::size_t before = in_use();
        if (before > limit_ || bytes > limit_ - before)
            return std::nullopt;
        room_.take(bytes);
        return before;
    }

    void undo_take(std::size_t bytes) noexcept { room_.give(bytes); }

    /// Subtracts from the bytes in use; true if they are then within the mark. If false, the next
    /// call must be undo_give(), after which nothing has changed.
    [[nodiscard]] ARENITE_INLINE bool give_quickly(std::size_t bytes) noexcept {
        return room_.give(bytes);
    }
    void undo_give(std::size_t bytes) noexcept { room_.take(bytes); }

    void give(std::size_t bytes) noexcept { room_.give(bytes); }

    /// Sets the bytes in use to 0.
    void clear() noexcept { give(in_use()); }

    /// Returns false, and changes nothing, if more is in use than the limit.
    [[nodiscard]] bool set(std::size_t mark, std::size_t limit) noexcept {
        const std::size_t used = in_use();
        if (used > limit)
            return false;
        *this = byte_budget{mark, limit, is_careful()};
        room_.take(used);
        return true;
    }

    [[nodiscard]] std::size_t in_use() const noexcept {
        return mark_ - static_cast<std::size_t>(room_.left());
    }
    [[nodiscard]] std::size_t mark() const noexcept { return mark_; }
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    [[nodiscard]] bool is_careful() const noexcept { return room_.is_careful(); }

private:
    headroom room_;
    std::size_t mark_;
    std::size_t limit_;
};

/// For any number of threads: requests during a change of the limit are held to the old one or the
/// new one.
template <>
class byte_budget<true> {
public:
    static constexpr std::size_t most = byte_budget<false>::most;

    byte_budget(std::size_t mark, std::size_t limit, bool careful) noexcept
        : mark_{mark}, limit_{limit}, careful_{careful} {}

    [[nodiscard]] bool take_quickly(std::size_t bytes) noexcept {
        return !careful_ && take_up_to(mark(), bytes);
    }
    void undo_take(std::size_t) noexcept {}
    [[nodiscard]] std::optional<std::size_t> take(std::size_t bytes) noexcept {
        return take_up_to(limit(), bytes);
    }
    [[nodiscard]] bool give_quickly(std::size_t bytes) noexcept {
        if (careful_)
            return false;
        give(bytes);
        return true;
    }
    void undo_give(std::size_t) noexcept {}
    void give(std::size_t bytes) noexcept { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }
    void clear() noexcept { in_use_.store(0, std::memory_order_relaxed); }

    /// Called by one thread at a time. Requests that saw the old limit may complete after it.
    [[nodiscard]] bool set(std::size_t mark, std::size_t limit) noexcept {
        if (in_use() > limit)
            return false;
        mark_ = mark;
        limit_ = limit;
        return true;
    }

    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    [[nodiscard]] std::size_t mark() const noexcept { return mark_; }
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    [[nodiscard]] bool is_careful() const noexcept { return careful_; }

private:
    /// A request sees the counter that it changes; the other values it saw may be older.
    [[nodiscard]] std::optional<std::size_t> take_up_to(std::size_t most_in_use,
                                                        std::size_t bytes) noexcept {
        std::size_t before = in_use_;
        do {
            if (before > most_in_use || bytes > most_in_use - before)
                return std::nullopt;
        } while (!in_use_.compare_exchange_weak(before, before + bytes));
        return before;
    }

    std::atomic<std::size_t> in_use_{0};
    std::atomic<std::size_t> mark_;
    std::atomic<std::size_t> limit_;
    bool careful_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
