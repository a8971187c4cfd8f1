// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The moves of a step that defragments: an array that doubles, and the sum of their bytes. add()
// takes room that reserve_one() made before, so it can't fail halfway.
#include <arenite/offset/offset_moves.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

offset_moves::offset_moves(offset_moves&& other) noexcept
    : list_{std::exchange(other.list_, nullptr)}, size_{std::exchange(other.size_, 0)},
      room_{std::exchange(other.room_, 0)}, bytes_{std::exchange(other.bytes_, 0)},
      could_gain_{other.could_gain_}, state_{other.state_}, memory_{other.memory_} {}

offset_moves& offset_moves::operator=(offset_moves&& other) noexcept {
    if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
    }
    return *this;
}

offset_moves::~offset_moves() {
    if (list_ != nullptr)
        memory_.deallocate(list_, room_ * sizeof(offset_move), alignof(offset_move));
}

std::span<const offset_move> offset_moves::all() const noexcept { return {list_, size_}; }

/// Asked before a move is planned; a refusal ends the step with the moves that are in it.
bool offset_moves::reserve_one() noexcept {
    if (size_ < room_)
        return true;
    const std::size_t room = std::max<std::size_t>(16, room_ * 2);
    void* const fresh = memory_.try_allocate(room * sizeof(offset_move), alignof(offset_move));
    if (fresh == nullptr)
        return false;
    auto* const list = static_cast<offset_move*>(fresh);
    // Moves are plain values: the old array needs no destruction.
    std::uninitialized_copy(list_, list_ + size_, list);
    if (list_ != nullptr)
        memory_.deallocate(list_, room_ * sizeof(offset_move), alignof(offset_move));
    list_ = list;
    room_ = room;
    return true;
}

void offset_moves::add(const offset_move& m) noexcept {
    std::construct_at(list_ + size_, m);
    ++size_;
    bytes_ += m.bytes();
}

void offset_moves::remove_last() noexcept {
    --size_;
    bytes_ -= list_[size_].bytes();
}

} // namespace ARENITE_ABI
} // namespace arenite
