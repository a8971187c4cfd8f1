// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "heaps.hpp"

#include <cstring>
#include <span>
#include <sys/mman.h>

namespace arenite::prove {
namespace {

constexpr std::size_t page = 4096, huge_page = std::size_t{2} << 20;

std::byte* up_to(std::byte* p, std::size_t alignment) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    return p + ((alignment - at % alignment) % alignment);
}

} // namespace

void* range_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    alignment = alignment < page ? page : alignment;
    if (bytes > static_cast<std::size_t>(end_ - at_))
        return nullptr;
    bytes = (bytes + page - 1) / page * page;
    for (std::size_t i = 0; i < spares_; ++i)
        if (spare_[i].bytes == bytes &&
            reinterpret_cast<std::uintptr_t>(spare_[i].at) % alignment == 0) {
            std::byte* const p = spare_[i].at;
            spare_[i] = spare_[--spares_];
            return p;
        }
    std::byte* const p = up_to(at_, alignment);
    if (p > end_ || bytes > static_cast<std::size_t>(end_ - p))
        return nullptr;
    at_ = p + bytes;
    if (bytes >= huge_page)
        ::madvise(p, bytes, MADV_HUGEPAGE); // as the library's own pages are
    return p;
}

void range_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    bytes = (bytes + page - 1) / page * page;
    ::madvise(p, bytes, MADV_DONTNEED);
    if (static_cast<std::byte*>(p) + bytes == at_)
        at_ = static_cast<std::byte*>(p);
    else if (spares_ < spare_.size())
        spare_[spares_++] = {static_cast<std::byte*>(p), bytes}; // else its addresses rest
}

bool heaps::start(plan& of) noexcept {
    plan_ = &of;
    std::size_t count = 1;
    for (std::size_t g = 1; g < most_groups; ++g)
        if (of.kind_of_group[g] != heap_kind::none)
            count = g + 1;
    void* const p = ::mmap(nullptr, count * group_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    base_ = static_cast<std::byte*>(p);
    bytes_ = count * group_bytes;
    for (std::size_t i = 1; i < count; ++i) {
        group& g = groups_[i];
        std::byte* const begin = base_ + i * group_bytes;
        g.kind = of.kind_of_group[i];
        if (g.kind == heap_kind::linear) {
            g.linear.emplace(std::span<std::byte>{begin, group_bytes});
            continue;
        }
        if (g.kind == heap_kind::ordered) {
            g.range[0].begin(begin, group_bytes);
            g.ordered.emplace(ordered_options{.sizes = sizes::kept}, &g.range[0]);
            continue;
        }
        for (std::size_t s = 0; s < pools; ++s) {
            g.range[s].begin(begin + s * pool_bytes, pool_bytes);
            g.pool[s].emplace(slot{.bytes = (s + 1) * pool_step, .alignment = pool_step},
                              &g.range[s]);
        }
    }
    return true;
}

/// An object of a linear group has its size before it.
void* heaps::from_linear(group& g, std::size_t bytes, std::size_t align) noexcept {
    const std::size_t before = align < 16 ? 16 : align;
    if (bytes > SIZE_MAX / 2)
        return nullptr;
    void* const whole = g.linear->try_allocate(bytes + before, before);
    if (whole == nullptr)
        return nullptr;
    std::byte* const p = static_cast<std::byte*>(whole) + before;
    std::memcpy(p - sizeof bytes, &bytes, sizeof bytes);
    ++g.live;
    return p;
}

void* heaps::allocate(std::uint32_t number, std::size_t bytes, std::size_t alignment) noexcept {
    group& g = groups_[number];
    bytes = bytes == 0 ? 1 : bytes;
    void* p = nullptr;
    g.lock.lock();
    if (g.kind == heap_kind::ordered)
        p = g.ordered->try_allocate(bytes, alignment);
    else if (g.kind == heap_kind::linear)
        p = from_linear(g, bytes, alignment);
    else if (bytes <= pools * pool_step && alignment <= pool_step)
        p = g.pool[(bytes - 1) / pool_step]->try_allocate(bytes, pool_step);
    g.lock.unlock();
    auto& count = p != nullptr ? plan_->taken[number] : plan_->refused;
    count.fetch_add(1, std::memory_order_relaxed);
    return p;
}

void heaps::deallocate(void* p) noexcept {
    const std::size_t number = group_of(p);
    group& g = groups_[number];
    g.lock.lock();
    if (g.kind == heap_kind::ordered) {
        g.ordered->deallocate(p);
    } else if (g.kind == heap_kind::linear) {
        if (--g.live == 0)
            g.linear->reset();
    } else {
        const std::size_t offset = static_cast<std::size_t>(static_cast<std::byte*>(p) - base_);
        const std::size_t s = offset % group_bytes / pool_bytes;
        g.pool[s]->deallocate(p, (s + 1) * pool_step, pool_step);
    }
    g.lock.unlock();
    plan_->given[number].fetch_add(1, std::memory_order_relaxed);
}

std::size_t heaps::size_of(const void* p) noexcept {
    group& g = groups_[group_of(p)];
    if (g.kind == heap_kind::linear) {
        std::size_t bytes;
        std::memcpy(&bytes, static_cast<const std::byte*>(p) - sizeof bytes, sizeof bytes);
        return bytes;
    }
    if (g.kind == heap_kind::ordered) {
        g.lock.lock();
        const std::size_t bytes = g.ordered->size_of(p);
        g.lock.unlock();
        return bytes;
    }
    const std::size_t offset = static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_);
    return (offset % group_bytes / pool_bytes + 1) * pool_step;
}

void heaps::lock_all() noexcept {
    for (group& g : groups_)
        g.lock.lock();
}
void heaps::unlock_all() noexcept {
    for (group& g : groups_)
        g.lock.unlock();
}

} // namespace arenite::prove
