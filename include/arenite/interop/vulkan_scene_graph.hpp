// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/usage.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <ostream>
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
///
/// The previous vsg::Allocator::instance() is kept as the nested one, and frees what it allocated.
///
/// Use when:  scenes are loaded, paged and destroyed: objects visited together lie together, and
///            memory of destroyed ones is returned to the system. See doc/vulkan_scene_graph.md.
/// Cost:      affinity_heap's, and the virtual call. Frees need no size.
/// Overhead:  none per object.
/// Limits:    aligned to what an object of its size can need, at least `defaultAlignment`, at most
///            16: VulkanSceneGraph passes no alignment. Affinities other than the four count as
///            objects.
/// Misuse:    memory that is neither an affinity's nor the nested allocator's is not freed, and
///            deallocate returns false, as in VulkanSceneGraph; a double free is a contract
///            violation in every build.
/// Threads:   any, but call `use` while no other thread allocates.
/// Failure:   allocate throws out_of_memory, since it serves operator new.
/// Source:    VulkanSceneGraph, vsg::Allocator.  (doc/sources.md)
template <class Base, class Affinity>
class vulkan_scene_graph_allocator final : public Base {
public:
    explicit vulkan_scene_graph_allocator(std::unique_ptr<Base> nested = {},
                                          std::size_t alignment = 8)
        : Base(std::move(nested), alignment) {}

    /// Replaces VulkanSceneGraph's own allocator, which becomes the nested one.
    static vulkan_scene_graph_allocator& use(std::size_t alignment = 8) {
        auto next =
            std::make_unique<vulkan_scene_graph_allocator>(std::move(Base::instance()), alignment);
        vulkan_scene_graph_allocator& made = *next;
        Base::instance() = std::move(next);
        return made;
    }

    void* allocate(std::size_t bytes, Affinity affinity = Affinity{}) override {
        affinity_heap& h = heap(affinity);
        return h.allocate(bytes, std::max(natural_alignment(bytes), least_alignment()));
    }

    /// The size is ignored; nullptr does nothing.
    bool deallocate(void* p, std::size_t bytes) override {
        affinity_heap* const h = affinity_heap::heap_of(p);
        if (h == nullptr)
            return p == nullptr ||
                   (this->nestedAllocator && this->nestedAllocator->deallocate(p, bytes));
        h->deallocate(p);
        return true;
    }

    /// Returns all empty memory, and its number of bytes.
    std::size_t deleteEmptyMemoryBlocks() override {
        std::size_t bytes = nested([](Base& n) { return n.deleteEmptyMemoryBlocks(); });
        for (affinity_heap* h : heaps_)
            bytes += h->trim().bytes_returned;
        return bytes;
    }

    // In VulkanSceneGraph's words what is handed out is reserved, the rest of a block available.
    std::size_t totalAvailableSize() const override {
        const arenite::usage u = usage();
        return u.bytes_reserved - u.bytes_in_use +
               nested([](Base& n) { return n.totalAvailableSize(); });
    }
    std::size_t totalReservedSize() const override {
        return usage().bytes_in_use + nested([](Base& n) { return n.totalReservedSize(); });
    }
    std::size_t totalMemorySize() const override {
        return usage().bytes_reserved + nested([](Base& n) { return n.totalMemorySize(); });
    }

    /// Sets how many bytes are requested from the system at once.
    void setBlockSize(Affinity affinity, std::size_t bytes) override {
        heap(affinity).set_block_size(bytes);
    }

    /// Totals by affinity, then the contents block by block; then the nested allocator's.
    void report(std::ostream& out) const override {
        for (const affinity_heap* h : heaps_) {
            const arenite::usage u = h->usage();
            out << h->name() << ": total = " << u.bytes_reserved
                << ", reserved = " << u.bytes_in_use
                << ", available = " << u.bytes_reserved - u.bytes_in_use << '\n';
        }
        for (const affinity_heap* h : heaps_)
            h->report(out);
        if (this->nestedAllocator)
            this->nestedAllocator->report(out);
    }

    [[nodiscard]] affinity_heap& heap(Affinity affinity) const noexcept {
        const auto number = static_cast<std::size_t>(affinity);
        return *heaps_[number < heaps_.size() ? number : 0];
    }

    /// The sum of the four affinities.
    [[nodiscard]] arenite::usage usage() const noexcept {
        arenite::usage sum;
        for (const affinity_heap* h : heaps_)
            sum += h->usage();
        return sum;
    }

private:
    [[nodiscard]] std::size_t least_alignment() const noexcept {
        return is_alignment(this->defaultAlignment) ? this->defaultAlignment : 1;
    }
    template <class F>
    [[nodiscard]] std::size_t nested(F f) const {
        return this->nestedAllocator ? f(*this->nestedAllocator) : 0;
    }

    std::array<affinity_heap*, 4> heaps_{
        &affinity_heap::of<affinities::objects>(), &affinity_heap::of<affinities::data>(),
        &affinity_heap::of<affinities::nodes>(), &affinity_heap::of<affinities::physics>()};
};

} // namespace ARENITE_ABI
} // namespace arenite
