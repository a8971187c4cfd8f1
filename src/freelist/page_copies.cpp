// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Groups of copied pages: letting go of one, sharing all of a snapshot's, adding or keeping a page,
// reading. Both levels count their holders with atomics, since snapshots that share pages may end
// on different threads; the contents are written only while there is one holder. Read make() and
// keep() first: a table begins with nulls, which stand for pages of zeros.
#include <arenite/freelist/detail/page_copies.hpp>

#include <arenite/core/system_resource.hpp>

#include <cstring>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void page_copies::let_go(copy* c) noexcept {
    // Release by those who let go earlier, acquire by the last: its deallocation comes after all
    // their reads.
    if (c != nullptr && c->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
        system_resource().deallocate(c, sizeof(copy), alignof(copy));
}

void page_copies::let_go(group* g) noexcept {
    if (g == nullptr || g->holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    for (copy* const c : g->pages)
        let_go(c);
    system_resource().deallocate(g, sizeof(group), alignof(group));
}

page_copies::page_copies(page_copies&& other) noexcept
    : groups_{std::exchange(other.groups_, nullptr)}, count_{std::exchange(other.count_, 0)} {}

page_copies& page_copies::operator=(page_copies&& other) noexcept {
    page_copies taken{std::move(other)}; // what was here goes with it
    std::swap(groups_, taken.groups_);
    std::swap(count_, taken.count_);
    return *this;
}

page_copies::~page_copies() {
    if (groups_ == nullptr)
        return;
    for (std::size_t g = 0; g < group_count(); ++g)
        let_go(groups_[g]);
    system_resource().deallocate(groups_, group_count() * sizeof(group*), alignof(group*));
}

bool page_copies::make(std::size_t count) noexcept {
    const std::size_t groups = (count + group_pages - 1) / group_pages;
    void* const p = system_resource().try_allocate(groups * sizeof(group*), alignof(group*));
    if (p == nullptr)
        return false;
    groups_ = ::new (p) group* [groups] {};
    count_ = count;
    return true;
}

bool page_copies::share(const page_copies& other) noexcept {
    page_copies made;
    if (other.count_ != 0 && !made.make(other.count_))
        return false;
    for (std::size_t g = 0; g < other.group_count(); ++g)
        made.keep_group(g, other);
    *this = std::move(made);
    return true;
}

void page_copies::keep_group(std::size_t g, const page_copies& other) noexcept {
    groups_[g] = other.groups_[g];
    if (groups_[g] != nullptr)
        // Relaxed: the table that it is copied from holds it meanwhile.
        groups_[g]->holders.fetch_add(1, std::memory_order_relaxed);
}

/// Page i is the one of another table, or of zeros where that has none: a group is made only for a
/// page that has contents.
bool page_copies::keep(std::size_t i, copy* shared) noexcept {
    group*& g = groups_[i / group_pages];
    if (g == nullptr) {
        if (shared == nullptr)
            return true;
        void* const p = system_resource().try_allocate(sizeof(group), alignof(group));
        if (p == nullptr)
            return false;
        g = ::new (p) group{1, {}};
    }
    if (shared != nullptr)
        shared->holders.fetch_add(1, std::memory_order_relaxed);
    let_go(std::exchange(g->pages[i % group_pages], shared));
    return true;
}

std::byte* page_copies::add(std::size_t i) noexcept {
    void* const p = system_resource().try_allocate(sizeof(copy), alignof(copy));
    if (p == nullptr)
        return nullptr;
    copy* const made = ::new (p) copy;
    // keep() counts the first holder.
    made->holders.store(0, std::memory_order_relaxed);
    if (keep(i, made))
        return made->bytes;
    system_resource().deallocate(p, sizeof(copy), alignof(copy));
    return nullptr;
}

std::size_t page_copies::copied() const noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i)
        n += at(i) != nullptr;
    return n;
}

/// Pages that would go with this table alone.
std::size_t page_copies::own() const noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        if (const copy* const c = at(i))
            n += c->holders.load(std::memory_order_relaxed) == 1 &&
                 groups_[i / group_pages]->holders.load(std::memory_order_relaxed) == 1;
    }
    return n;
}

bool page_copies::is_zero(const void* page) noexcept {
    static constexpr std::byte zeros[page_bytes] = {};
    return std::memcmp(page, zeros, page_bytes) == 0;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
