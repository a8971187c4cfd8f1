// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/address_list.hpp>
#include <arenite/block/detail/idle_memory.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The head of a span that large objects share, and which of its units are taken.
struct alignas(64) shared_span {
    shared_span* left; ///< for address_list, as are right and below
    shared_span* right;
    std::uint16_t state; ///< how long its longest free run is, see shared_spans
    std::uint16_t below;
    std::uint32_t units;
    std::uint32_t longest;    ///< free run, in units
    std::uint32_t occupied;   ///< units taken, but for the head's
    std::uint32_t resident;   ///< free units that may have memory
    std::uint32_t clean_from; ///< no unit below is clean
    bool is_zero;             ///< units that are clean hold zeros
    bool is_counted;          ///< with what all shared_spans keep empty

    static constexpr std::size_t unit_bytes = 1_KiB;
    static constexpr std::size_t most_bytes = 8_MiB + 64_KiB;
    static constexpr std::size_t most_units = most_bytes / unit_bytes;
    static constexpr std::size_t words = most_units / bits::word_bits;

    bits::word taken[words];
    bits::word clean[words];               ///< never used, or their memory is the system's again
    std::uint16_t longest_from[words + 1]; ///< free run, in units, that begins in each word of bits
};

/// Spans that several large objects share: of 64 KiB to 1 MiB, side by side.
///
///     span    | shared_span | a a a a | b b | . . . | c c c c c c | . . . . . . . . . |
///     taken     1 1 1         1 1 1 1   1 1   0 0 0   1 1 1 1 1 1   0 0 0 ...
///     clean     0 0 0         0 0 0 0   0 0   0 0 0   0 0 0 0 0 0   1 1 1 ...
///             |<- a unit: 1 KiB
///
/// An object with memory of its own from a source of pages begins where such memory may begin, and
/// its last page is its own; in huge pages what lies between two is lost. Here objects lie a unit
/// apart. A run of units is taken at the lowest address, in the lowest span that has one as long.
/// A span notes how long the longest free run is that begins in each word of bits, in 64 units. A
/// request, of 64 units and more, takes from the first word with one as long and looks at no other:
/// such a run goes on beyond its word, so it begins behind all that is taken there.
///
/// Objects of a power of two would just not fit into spans of another: such a span is 64 KiB longer
/// than huge pages are, and has that in small pages.
///
/// Of spans of which nothing is taken so much stays as give() may keep, 8 MiB in the whole process,
/// until nobody has wanted any for a second; the others go back to the upstream. Of what is free in
/// others a share stays resident; of more, what nobody wanted for a second goes back, span by span,
/// and when what is taken falls, what exceeds 32 MiB and a quarter of that at once, unless the
/// program has twice come back for it: see idle_memory. All of this happens at calls of the owner:
/// a program that makes none keeps it.
///
/// Use when:  for large_objects, on an upstream of pages.
/// Cost:      O(log spans), and a look at the words below it, at the bits of what is taken or given
///            and of free runs beside it; there is a word for 64 KiB.
/// Overhead:  3 KiB a span.
/// Threads:   one at a time; the owner's rule.
/// Failure:   nullptr, or false; nothing changes.
class shared_spans {
public:
    static constexpr std::size_t unit_bytes = shared_span::unit_bytes;
    static constexpr std::size_t smallest_bytes = 512_KiB; ///< of a span
    static constexpr std::size_t largest_bytes = 8_MiB;    ///< but for what span_bytes_for adds
    static constexpr std::size_t least_run = 64_KiB;       ///< for less there is better
    static constexpr std::size_t largest_run = 1_MiB;
    static_assert(least_run / unit_bytes >= bits::word_bits, "it is the last in its word");

    static constexpr std::size_t largest_alignment = 64_KiB;

    /// For give(): all empty spans stay, however many others have.
    static constexpr std::size_t keep_all = ~std::size_t{0};

    /// Requests nothing yet. Spans lie at multiples of `alignment`; `up` is the owner's.
    shared_spans(const upstream& up, std::size_t alignment) noexcept
        : upstream_{up}, alignment_{alignment} {}
    shared_spans(const shared_spans&) = delete;
    shared_spans& operator=(const shared_spans&) = delete;

    /// Gives all spans back, whatever is taken of them.
    ~shared_spans();

    struct run {
        std::byte* p = nullptr;
        bool is_zero = false;
    };

    /// How long a new span for runs of `bytes` is to be where `most` may be asked for: a power of
    /// two, or a little longer where that has one run more; 0: it would have less than two.
    [[nodiscard]] static std::size_t span_bytes_for(std::size_t bytes, std::size_t most) noexcept;

    /// A run of `bytes`, least_run or more, rounded up to units. It begins at a multiple of
    /// `alignment`, or a unit below one where that is larger than a unit. Where no span has one, a
    /// new one of `span_bytes` is asked for, for such a use; 0: none.
    [[nodiscard]] run try_take(std::size_t bytes, std::size_t alignment, std::size_t span_bytes,
                               page_use use = page_use::dense) noexcept;

    /// True if the run can be made longer, to so many bytes, or shorter, where it lies.
    [[nodiscard]] bool try_resize(std::byte* p, std::size_t bytes, std::size_t new_bytes) noexcept;

    /// Frees a run. A span that is empty then is kept where it has no more than `kept_bytes`, and
    /// of all that are empty so much: the highest go back, perhaps at once.
    void give(std::byte* p, std::size_t bytes, std::size_t kept_bytes, bool at_once) noexcept;

    /// Gives the spans back that are empty; or the highest of them, of which there must be one.
    void give_empty(bool at_once) noexcept;
    void give_highest_empty(bool at_once) noexcept;

    /// Gives one of them back, and returns true, if for a second none was wanted and none has come:
    /// whenever the owner has time.
    bool give_idle_empty() noexcept;

    /// Where more than `allowed` bytes that are free are resident, and some of that is idle, gives
    /// those of one span to the system, and returns true: there may be more. After each give(), and
    /// whenever the owner has time.
    bool return_excess(std::size_t allowed) noexcept;

    /// Gives the memory of all that is free to the system.
    void trim() noexcept;

    [[nodiscard]] std::size_t bytes_reserved() const noexcept { return reserved_; }
    /// For other threads: may be out of date.
    [[nodiscard]] std::size_t bytes_reserved_approximate() const noexcept {
        return glance(reserved_);
    }
    /// The runs that are taken.
    [[nodiscard]] std::size_t bytes_taken() const noexcept { return taken_units_ * unit_bytes; }
    /// Free, and perhaps resident.
    [[nodiscard]] std::size_t bytes_resident() const noexcept {
        return resident_units_ * unit_bytes;
    }
    /// In spans that are kept, of which nothing is taken.
    [[nodiscard]] std::size_t bytes_empty() const noexcept { return empty_bytes_; }

    /// Calls f(const std::byte*, std::size_t) for each free run.
    template <class F>
    void for_each_free(F f) const;
    /// Calls f(const std::byte*, std::size_t) for the head of each span.
    template <class F>
    void for_each_head(F f) const {
        for (const shared_span* s = spans_.first(); s != nullptr; s = spans_.above(*s))
            f(reinterpret_cast<const std::byte*>(s), head_units * unit_bytes);
    }

private:
    static constexpr std::size_t head_units = (sizeof(shared_span) - 1) / unit_bytes + 1;

    /// A free run, in units.
    struct free_run {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    [[nodiscard]] static std::size_t units_for(std::size_t bytes) noexcept {
        return (bytes + unit_bytes - 1) / unit_bytes;
    }
    [[nodiscard]] static std::byte* at(shared_span& s, std::size_t unit) noexcept {
        return reinterpret_cast<std::byte*>(&s) + unit * unit_bytes;
    }
    [[nodiscard]] static std::size_t index_of(const shared_span& s, const std::byte* p) noexcept {
        return static_cast<std::size_t>(p - reinterpret_cast<const std::byte*>(&s)) / unit_bytes;
    }
    [[nodiscard]] run take_from(shared_span& s, std::size_t units, std::size_t every) noexcept;
    [[nodiscard]] static free_run lowest_run(const shared_span& s, std::size_t least) noexcept;
    [[nodiscard]] static std::size_t end_of_run(const shared_span& s, std::size_t begin) noexcept;
    [[nodiscard]] static std::uint16_t longest_in(const shared_span& s, std::size_t i) noexcept;
    [[nodiscard]] static std::uint16_t longest_of(const shared_span& s) noexcept;
    void take(shared_span& s, const free_run& from, std::size_t first, std::size_t units) noexcept;
    void free(shared_span& s, std::size_t first, std::size_t units) noexcept;
    [[nodiscard]] shared_span* make(std::size_t bytes, page_use use) noexcept;
    void end(shared_span& s, bool at_once) noexcept;
    void set_state(shared_span& s) noexcept;
    std::size_t purge(shared_span& s) noexcept;

    const upstream& upstream_;
    std::size_t alignment_;
    address_list<shared_span> spans_;
    std::size_t reserved_ = 0;
    std::size_t taken_units_ = 0;
    std::size_t resident_units_ = 0;
    std::size_t empty_bytes_ = 0;      ///< in spans of which nothing is taken
    std::uint64_t empty_since_ms_ = 0; ///< these are the same; 0: since the next look
    idle_memory idle_;
};

template <class F>
void shared_spans::for_each_free(F f) const {
    for (const shared_span* s = spans_.first(); s != nullptr; s = spans_.above(*s)) {
        bits::for_each_clear_run(s->taken, 0, s->units, [&](std::size_t first, std::size_t end) {
            f(reinterpret_cast<const std::byte*>(s) + first * unit_bytes,
              (end - first) * unit_bytes);
        });
    }
}

extern template class address_list<shared_span>;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
