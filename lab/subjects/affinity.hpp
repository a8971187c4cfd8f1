// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "arenite.hpp"

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arenite::lab {

/// The affinities that subjects are: each object takes the next one.
template <std::size_t Number>
struct numbered_affinity {
    static constexpr char text[]{'l', 'a', 'b', ' ', '0' + Number / 10, '0' + Number % 10, '\0'};
    static constexpr std::string_view name{text};
};

[[nodiscard]] inline affinity_heap& next_affinity() {
    constexpr std::size_t most = 16;
    static constexpr auto all = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<affinity_heap& (*)() noexcept, most>{
            &affinity_heap::of<numbered_affinity<I>>...};
    }(std::make_index_sequence<most>{});
    static std::size_t taken = 0;
    return all.at(taken++)();
}

/// affinity_heap with a strategy; one object is one affinity.
template <class Kind>
class affinity_as {
public:
    static constexpr bool for_any_thread = !Kind::near; // there it would be its own double
    static constexpr bool of_an_affinity = true;

    affinity_as() {
        use_affinity_strategy(Kind::strategy); // the process has but one
        heap_ = &next_affinity();
    }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_->allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_->deallocate(p, bytes, alignment);
    }
    [[nodiscard]] void* allocate_near(const void* p, std::size_t bytes, std::size_t alignment)
        requires(Kind::near)
    {
        return heap_->near(p).allocate(bytes, alignment);
    }
    template <resizes_in_place Heap = affinity_heap>
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
        return static_cast<Heap&>(*heap_).try_resize(p, old_bytes, new_bytes);
    }
    static void deallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        affinity_heap::deallocate_any(p, bytes, alignment);
    }
    static void deallocate_any(void* p) noexcept { affinity_heap::deallocate_any(p); }
    void trim() noexcept { heap_->trim(); }
    [[nodiscard]] std::size_t reserved_bytes() const noexcept {
        return heap_->usage().bytes_reserved;
    }

    static std::vector<subject_info> ways() { return Kind::ways(); }

private:
    affinity_heap* heap_;
};

struct affinity_ordered {
    static constexpr auto strategy = affinity_strategy::ordered;
    static constexpr bool near = false;
    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.affinity",
                                .summary = "affinity_heap: an ordered_heap for each thread",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

/// Objects that are added to an aged scene are placed near their parents.
struct affinity_near {
    static constexpr auto strategy = affinity_strategy::ordered;
    static constexpr bool near = true;
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.affinity.near",
                 .summary = "affinity_heap, what is added later by near(parent)",
                 .pages = "huge"}};
    }
};

struct affinity_intrusive {
    static constexpr auto strategy = affinity_strategy::intrusive;
    static constexpr bool near = false;
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.affinity.intrusive",
                 .summary = "affinity_heap, VulkanSceneGraph's second allocator",
                 .pages = "huge"}};
    }
};

struct affinity_slots {
    static constexpr auto strategy = affinity_strategy::slots;
    static constexpr bool near = false;
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.affinity.slots",
                 .summary = "affinity_heap, VulkanSceneGraph's first allocator",
                 .pages = "huge"}};
    }
};

struct affinity_standard {
    static constexpr auto strategy = affinity_strategy::standard;
    static constexpr bool near = false;
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.affinity.standard",
                 .summary = "affinity_heap, operator new and a word before each object",
                 .pages = "4k"}};
    }
};

/// An affinity as an object, without tag and name.
class shared {
public:
    static constexpr bool for_any_thread = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }
    void trim() noexcept { heap_.trim(); }
    [[nodiscard]] std::size_t reserved_bytes() const noexcept {
        return heap_.usage().bytes_reserved;
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.shared_heap",
                 .summary = "shared_heap: one of 100,000, each for any thread",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    shared_heap heap_;
};

/// A lock around all of it: what affinities must not cost.
class ordered_synchronized {
public:
    static constexpr bool for_any_thread = true;
    static constexpr bool only_for_threads = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered-synchronized",
                 .summary = "ordered_heap in a synchronized_resource, retain_all",
                 .pages = "huge"}};
    }

private:
    synchronized_resource<ordered_heap> heap_{ordered_options{.policy = return_policy::retain_all}};
};

} // namespace arenite::lab
