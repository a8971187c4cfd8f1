// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/literals.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Where slots of one size lie behind each other, and which of them an offset lies in.
///
///     | 0 | 1 | 2 |  ...  | n - 1 |//| n | n + 1 |  ...  | 2n - 1 |//| 2n | ...
///     ^ offset 0          a group  ^ colour, 64 bytes
///
/// A group has whole words of bits, of 16 KiB together or one word. The colour between two groups
/// keeps slots whose numbers differ by a power of two out of one cache set; slots of an alignment
/// above 64 bytes have none.
///
/// Invariant: index_at(offset_of(i)) == i, and so for every offset up to the last byte of slot i.
/// Cost:      two multiplications where offsets stay below 2 MiB, else two divisions.
class slot_layout {
public:
    constexpr slot_layout() noexcept = default;

    /// Slots of `slot_bytes`, not 0, a multiple of their alignment. Offsets asked for are below
    /// `end`.
    constexpr slot_layout(std::size_t slot_bytes, std::size_t alignment, std::size_t end) noexcept
        : slot_bytes_{slot_bytes},
          group_slots_{std::max<std::size_t>(1, group_bytes / slot_bytes / bits::word_bits) *
                       bits::word_bits},
          colour_{alignment <= colour_bytes ? colour_bytes : 0} {
        if (end <= inverse_limit) {
            slot_inverse_ = inverse_of(slot_bytes);
            group_inverse_ = inverse_of(std::min(group_stride(), inverse_limit));
        }
    }

    [[nodiscard]] constexpr std::size_t slot_bytes() const noexcept { return slot_bytes_; }

    /// Slots, and words of bits, that lie side by side.
    [[nodiscard]] constexpr std::size_t group_slots() const noexcept { return group_slots_; }
    [[nodiscard]] constexpr std::size_t group_words() const noexcept {
        return group_slots_ / bits::word_bits;
    }

    /// Bytes between two groups.
    [[nodiscard]] constexpr std::size_t colour() const noexcept { return colour_; }

    /// Bytes from slot 0 to slot i.
    [[nodiscard]] constexpr std::size_t offset_of(std::size_t i) const noexcept {
        return i * slot_bytes_ + i / group_slots_ * colour_;
    }

    /// The slot that the byte at `offset` lies in; in a colour, the first slot of the next group.
    [[nodiscard]] ARENITE_INLINE constexpr std::size_t index_at(std::size_t offset) const noexcept {
        if (slot_inverse_ != 0) [[likely]] {
            const auto group = static_cast<std::size_t>(offset * group_inverse_ >> inverse_shift);
            return static_cast<std::size_t>((offset - group * colour_) * slot_inverse_ >>
                                            inverse_shift);
        }
        return (offset - offset / group_stride() * colour_) / slot_bytes_;
    }

    /// Bytes from slot 0 to the end of the last of so many, at least 1.
    [[nodiscard]] constexpr std::size_t bytes_for(std::size_t slots) const noexcept {
        return offset_of(slots - 1) + slot_bytes_;
    }

    /// The most slots that fit into so many bytes.
    [[nodiscard]] constexpr std::size_t slots_in(std::size_t bytes) const noexcept {
        return bytes / group_stride() * group_slots_ +
               std::min(bytes % group_stride() / slot_bytes_, group_slots_);
    }

private:
    static constexpr std::size_t group_bytes = 16_KiB; // about: colours differ each so many bytes

    // Division by a multiplication: exact for offsets below 2^21 and divisors up to 2^21.
    static constexpr unsigned inverse_shift = 42;
    static constexpr std::size_t inverse_limit = std::size_t{1} << 21;

    [[nodiscard]] static constexpr std::uint64_t inverse_of(std::size_t divisor) noexcept {
        return ((std::uint64_t{1} << inverse_shift) + divisor - 1) / divisor;
    }
    [[nodiscard]] constexpr std::size_t group_stride() const noexcept {
        return group_slots_ * slot_bytes_ + colour_;
    }

    std::size_t slot_bytes_ = 1;
    std::size_t group_slots_ = bits::word_bits;
    std::size_t colour_ = 0;
    std::uint64_t slot_inverse_ = 0; // 0: offsets are too large for it
    std::uint64_t group_inverse_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
