// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/affinity_door.hpp>
#include <arenite/affinity/detail/outside_memory.hpp>
#include <arenite/block/detail/block.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/usage.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// VulkanSceneGraph's objects in affinities: its vsg::Allocator, made of affinity heaps.
///
///     using allocator = arenite::vulkan_scene_graph_allocator<vsg::Allocator,
///                                                             vsg::AllocatorAffinity>;
///     allocator::use(); // before the first scene is loaded
///
///     vsg::ALLOCATOR_AFFINITY_OBJECTS  DATA  NODES  PHYSICS, in this order
///     affinities::     objects         data  nodes  physics, which your own classes share
///     4, 5 ... 15                      the one that add() was given, or "affinity 4" and so on
///
/// The previous vsg::Allocator::instance() is kept as the nested one, and frees what it allocated.
///
/// Use when:  scenes are loaded, paged and destroyed: objects visited together lie together, and
///            memory of destroyed ones is returned to the system. See doc/vulkan_scene_graph.md.
/// Cost:      affinity_heap's, and the virtual call. Frees need no size.
/// Overhead:  none per object.
/// Limits:    aligned to what an object of its size can need, at least `defaultAlignment`, at most
///            16: VulkanSceneGraph passes no alignment. Numbers from 16 on share "affinity 16".
/// Misuse:    memory that is neither an affinity's nor the nested allocator's is not freed, and
///            deallocate returns false, as in VulkanSceneGraph; a double free is a contract
///            violation in every build. Where all goes to operator new (the strategy `standard`,
///            and passthrough) such memory goes to operator delete, and a checker sees it there.
/// Threads:   any, but call `use` and `add` while no other thread allocates.
/// Failure:   allocate throws out_of_memory, which names the affinity, since it serves operator
///            new.
/// Source:    VulkanSceneGraph, vsg::Allocator.  (doc/sources.md)
template <class Base, class Affinity>
class vulkan_scene_graph_allocator final : public Base {
public:
    explicit vulkan_scene_graph_allocator(std::unique_ptr<Base> before = {},
                                          std::size_t least_alignment = 8)
        : Base(std::move(before), least_alignment) {
        enter(0, affinity_heap::of<affinities::objects>());
        enter(1, affinity_heap::of<affinities::data>());
        enter(2, affinity_heap::of<affinities::nodes>());
        enter(3, affinity_heap::of<affinities::physics>());
    }

    /// Replaces VulkanSceneGraph's own allocator, which becomes the nested one. Where one of this
    /// class is installed already that one is returned, with the larger alignment.
    static vulkan_scene_graph_allocator& use(std::size_t least_alignment = 8) {
#if defined(__cpp_rtti)
        if (auto* const there =
                dynamic_cast<vulkan_scene_graph_allocator*>(Base::instance().get())) {
            there->defaultAlignment = std::max(there->defaultAlignment, least_alignment);
            return *there;
        }
#endif
        auto next = std::make_unique<vulkan_scene_graph_allocator>(std::move(Base::instance()),
                                                                   least_alignment);
        vulkan_scene_graph_allocator& made = *next;
        Base::instance() = std::move(next);
        return made;
    }

    /// Objects of this number, from 4 to 15, lie in this affinity from now on. Of `h` the reference
    /// is kept: it may be retired when no object of this number is made any more. It has a copy of
    /// its name, so a string that named it may end.
    void add(Affinity affinity, affinity_heap& h) {
        const auto number = static_cast<std::size_t>(affinity);
        if (number < 4 || number >= most_numbers)
            contract_violation("affinities of your own have numbers from 4 to 15");
        enter(number, h);
    }

    void* allocate(std::size_t bytes, Affinity affinity = Affinity{}) override {
        const auto number = static_cast<std::size_t>(affinity);
        if (number < most_numbers && this->defaultAlignment <= detail::granule_bytes) [[likely]] {
            if (void* const p = doors_[number].try_take(bytes)) [[likely]]
                return p;
        }
        return allocate_slow(bytes, affinity);
    }

    /// The size is ignored; nullptr does nothing.
    bool deallocate(void* p, std::size_t bytes) override {
        if (!affinity_heap::try_deallocate_own(p)) [[unlikely]]
            return deallocate_other(p, bytes);
        return true;
    }

    /// Returns all empty memory, and its number of bytes.
    std::size_t deleteEmptyMemoryBlocks() override {
        std::size_t bytes = of_nested([](Base& n) { return n.deleteEmptyMemoryBlocks(); });
        for_each_heap([&](affinity_heap& h) { bytes += h.trim().bytes_returned; });
        return bytes;
    }

    // In VulkanSceneGraph's words what is handed out is reserved, the rest of a block available.
    std::size_t totalAvailableSize() const override {
        const arenite::usage u = usage();
        return u.bytes_reserved - u.bytes_in_use +
               of_nested([](Base& n) { return n.totalAvailableSize(); });
    }
    std::size_t totalReservedSize() const override {
        return usage().bytes_in_use + of_nested([](Base& n) { return n.totalReservedSize(); });
    }
    std::size_t totalMemorySize() const override {
        return usage().bytes_reserved + of_nested([](Base& n) { return n.totalMemorySize(); });
    }

    /// Sets how many bytes are requested from the system at once.
    void setBlockSize(Affinity affinity, std::size_t bytes) override {
        heap(affinity).set_block_bytes(bytes);
    }

    /// Totals by affinity, then the contents block by block; then the nested allocator's.
    void report(std::ostream& out) const override {
        for_each_heap([&](const affinity_heap& h) {
            const arenite::usage u = h.usage();
            out << h.name() << ": total = " << u.bytes_reserved << ", reserved = " << u.bytes_in_use
                << ", available = " << u.bytes_reserved - u.bytes_in_use << '\n';
        });
        for_each_heap([&](const affinity_heap& h) { h.report(out); });
        if (this->nestedAllocator)
            this->nestedAllocator->report(out);
    }

    /// The affinity of this number: made where there is none yet.
    [[nodiscard]] affinity_heap& heap(Affinity affinity) const {
        const std::size_t number = std::min(static_cast<std::size_t>(affinity), most_numbers);
        affinity_heap* known = heaps_[number].load(std::memory_order_acquire);
        if (known == nullptr) {
            known = &affinity_heap::named("affinity " + std::to_string(number));
            heaps_[number].store(known, std::memory_order_release);
        }
        return *known;
    }

    /// The sum of all affinities that have a number here.
    [[nodiscard]] arenite::usage usage() const noexcept {
        arenite::usage sum;
        for_each_heap([&](const affinity_heap& h) { sum += h.usage(); });
        return sum;
    }

private:
    static constexpr std::size_t most_numbers = 16;

    void enter(std::size_t number, affinity_heap& h) noexcept {
        heaps_[number].store(&h, std::memory_order_release);
        doors_[number] = h.door();
    }
    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, Affinity affinity) {
        const std::size_t least = is_alignment(this->defaultAlignment) ? this->defaultAlignment : 1;
        return heap(affinity).allocate(bytes, std::max(natural_alignment(bytes), least));
    }
    ARENITE_NOINLINE bool deallocate_other(void* p, std::size_t bytes) {
        if (affinity_heap::heap_of(p) != nullptr) {
            affinity_heap::deallocate_any(p);
            return true;
        }
        return p == nullptr ||
               (this->nestedAllocator && this->nestedAllocator->deallocate(p, bytes)) ||
               detail::outside_memory::hand_to_checker(p);
    }
    template <class F>
    [[nodiscard]] std::size_t of_nested(F f) const {
        return this->nestedAllocator ? f(*this->nestedAllocator) : 0;
    }
    /// Each affinity once, though several numbers may lead to it.
    template <class F>
    void for_each_heap(F f) const {
        const auto at = [&](std::size_t i) { return heaps_[i].load(std::memory_order_acquire); };
        for (std::size_t i = 0; i <= most_numbers; ++i) {
            bool is_new = at(i) != nullptr;
            for (std::size_t j = 0; j < i; ++j)
                is_new = is_new && at(j) != at(i);
            if (is_new)
                f(*at(i));
        }
    }

    // A number that has no affinity yet has a closed door. The last heap is for all the rest.
    detail::affinity_door doors_[most_numbers];
    mutable std::atomic<affinity_heap*> heaps_[most_numbers + 1] = {};
};

} // namespace ARENITE_ABI
} // namespace arenite
