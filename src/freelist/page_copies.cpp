// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/detail/page_copies.hpp>

#include <arenite/core/system_resource.hpp>

#include <cstring>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

page_copies::~page_copies() {
    for (std::size_t i = 0; i < count_; ++i)
        keep(i, nullptr);
    if (table_ != nullptr)
        system_resource().deallocate(table_, count_ * sizeof(copy*), alignof(copy*));
}

bool page_copies::make(std::size_t count) noexcept {
    void* const p = system_resource().try_allocate(count * sizeof(copy*), alignof(copy*));
    if (p == nullptr)
        return false;
    table_ = ::new (p) copy* [count] {};
    count_ = count;
    return true;
}

bool page_copies::share(const page_copies& other) noexcept {
    page_copies made;
    if (other.count_ != 0 && !made.make(other.count_))
        return false;
    for (std::size_t i = 0; i < other.count_; ++i)
        made.keep(i, other.table_[i]);
    *this = std::move(made);
    return true;
}

void page_copies::keep(std::size_t i, copy* shared) noexcept {
    if (shared != nullptr)
        shared->holders.fetch_add(1, std::memory_order_relaxed);
    copy* const before = std::exchange(table_[i], shared);
    if (before != nullptr && before->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
        system_resource().deallocate(before, sizeof(copy), alignof(copy));
}

std::byte* page_copies::add(std::size_t i) noexcept {
    void* const p = system_resource().try_allocate(sizeof(copy), alignof(copy));
    if (p == nullptr)
        return nullptr;
    copy* const made = ::new (p) copy;
    made->holders.store(0, std::memory_order_relaxed);
    keep(i, made);
    return made->bytes;
}

std::size_t page_copies::copied() const noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i)
        n += table_[i] != nullptr;
    return n;
}

std::size_t page_copies::own() const noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i)
        n += table_[i] != nullptr && table_[i]->holders.load(std::memory_order_relaxed) == 1;
    return n;
}

bool page_copies::is_zero(const void* page) noexcept {
    static constexpr std::byte zeros[page_bytes] = {};
    return std::memcmp(page, zeros, page_bytes) == 0;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
