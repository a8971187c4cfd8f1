// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/container_pool.hpp>

#include <arenite/check/passthrough.hpp>


namespace arenite {
inline namespace ARENITE_ABI {

container_pool::container_pool(return_policy policy, upstream up) noexcept
    : upstream_{up}, policy_{policy}, arrays_{ordered_options{.policy = policy}, up} {}

container_pool::~container_pool() {
    for_each_heap([](detail::container_heap& heap) { heap.end(); });
}

template <class F>
void container_pool::for_each_heap(F f) const {
    for (const auto& entry : heaps_)
        if (detail::container_heap* const heap = entry.load(std::memory_order_acquire))
            f(*heap);
}

void* container_pool::try_allocate_slot(std::size_t kind, std::size_t expected) noexcept {
    using detail::container_heap;
    if (passthrough()) {
        const slot s = detail::container_slot(kind);
        return arrays_.try_allocate(s.bytes, s.alignment);
    }
    container_heap* heap = heaps_[kind].load(std::memory_order_acquire);
    if (heap == nullptr) [[unlikely]] {
        container_heap* const made =
            container_heap::make(kind, container_heap::state::unattended, expected, policy_,
                                 upstream_, nullptr); // has no memory yet
        if (made == nullptr)
            return nullptr;
        if (heaps_[kind].compare_exchange_strong(heap, made, std::memory_order_acq_rel,
                                                 std::memory_order_acquire))
            heap = made;
        else
            made->end(); // another thread was faster
    }
    return heap->try_allocate_locked();
}

void container_pool::trim() noexcept {
    for_each_heap([](detail::container_heap& heap) { heap.trim(); });
    arrays_.trim();
}

arenite::usage container_pool::usage() const noexcept {
    arenite::usage sum = arrays_.usage();
    for_each_heap([&sum](const detail::container_heap& heap) { sum += heap.usage(); });
    return sum;
}

bool container_pool::owns(const void* p) const noexcept {
    bool found = arrays_.owns(p);
    for_each_heap([&](const detail::container_heap& heap) { found = found || heap.owns(p); });
    return found;
}

void container_pool::list_regions(region_sink& sink) const {
    for_each_heap([&sink](const detail::container_heap& heap) { heap.list_regions(sink); });
    arrays_.list_regions(sink);
}

} // namespace ARENITE_ABI
} // namespace arenite
