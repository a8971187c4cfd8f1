// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scratch.hpp>

#include <cstddef>
#include <optional>
#include <vector>

// Subjects that free all at once: the family of linear_resource, which is in arenite.hpp. Their
// memory is malloc's and there before the first request, but for those whose point is that it
// grows.

namespace arenite::lab {

/// A Kind makes the resource for so many bytes, says which of it serves, and starts anew.
template <class Kind>
class linear_as {
public:
    void prepare(std::size_t bytes) { kind_.prepare(bytes); }
    void reset() noexcept { kind_.reset(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return kind_.serving().allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        kind_.serving().deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() { return {Kind::info()}; }

private:
    Kind kind_;
};

/// The member that most kinds have.
template <class R>
struct linear_kind {
    std::optional<R> resource;

    void prepare(std::size_t bytes) { resource.emplace(bytes, linear_options{.eager = true}); }
    void reset() noexcept { resource->reset(); }
    [[nodiscard]] R& serving() noexcept { return *resource; }
};

struct linear_low : linear_kind<double_ended_resource> {
    [[nodiscard]] linear_resource& serving() noexcept { return resource->low(); }
    static subject_info info() {
        return {.name = "arenite.double_ended-low",
                .summary = "double_ended_resource, its low end as a linear_resource&",
                .pages = "4k"};
    }
};

struct linear_high : linear_kind<double_ended_resource> {
    [[nodiscard]] linear_resource& serving() noexcept { return resource->high(); }
    static subject_info info() {
        return {.name = "arenite.double_ended-high",
                .summary = "double_ended_resource, its high end as a linear_resource&",
                .pages = "4k"};
    }
};

/// Starts anew by a swap.
struct linear_buffered : linear_kind<double_buffered_resource> {
    void reset() noexcept { resource->swap(); }
    static subject_info info() {
        return {.name = "arenite.double_buffered",
                .summary = "double_buffered_resource, swapped",
                .pages = "4k"};
    }
};

/// Starts anew with the next frame.
struct linear_frames : linear_kind<frame_resource<3>> {
    void reset() noexcept { resource->next(); }
    static subject_info info() {
        return {
            .name = "arenite.frames", .summary = "frame_resource<3>, next frame", .pages = "4k"};
    }
};

/// Addresses without end; it is never told how much comes.
struct linear_growing {
    growing_linear_resource resource{std::size_t{64} << 30};

    void prepare(std::size_t) {}
    void reset() noexcept { resource.reset(); }
    [[nodiscard]] growing_linear_resource& serving() noexcept { return resource; }
    static subject_info info() {
        return {.name = "arenite.growing",
                .summary = "growing_linear_resource of 64 GiB address space",
                .pages = "huge"};
    }
};

struct linear_growing_4k {
    growing_linear_resource resource{std::size_t{64} << 30,
                                     growing_options{.huge = huge_pages::never}};

    void prepare(std::size_t) {}
    void reset() noexcept { resource.reset(); }
    [[nodiscard]] growing_linear_resource& serving() noexcept { return resource; }
    static subject_info info() {
        return {.name = "arenite.growing-4k",
                .summary = "growing_linear_resource of 64 GiB address space, no huge pages",
                .pages = "4k"};
    }
};

/// Asked for anew at each allocation, as the functions of a program would.
struct linear_scratch {
    void prepare(std::size_t) {}
    void reset() noexcept { scratch().reset(); }
    [[nodiscard]] linear_resource& serving() { return scratch(); }
    static subject_info info() {
        return {.name = "arenite.scratch",
                .summary = "scratch(), called for each allocation",
                .pages = "huge"};
    }
};

} // namespace arenite::lab
