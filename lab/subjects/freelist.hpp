// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace arenite::lab {

/// A region for all that the workloads hold; what nobody touches of it is not resident.
inline constexpr std::size_t lab_region_bytes = 640_MiB;

/// free_list_resource through its own type.
template <fit Fit>
class free_list_as {
public:
    static constexpr bool in_one_region = true;

    explicit free_list_as(std::size_t region_bytes = lab_region_bytes)
        : region_{region_bytes, Fit} {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return region_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        region_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        constexpr bool first = Fit == fit::first;
        return {{.name = first ? "arenite.free_list" : "arenite.free_list.best",
                 .summary = std::string{"free_list_resource of 640 MiB, "} +
                            (first ? "first fit" : "best fit"),
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    free_list_resource region_;
};

/// tlsf_resource through its own type.
class tlsf {
public:
    static constexpr bool in_one_region = true;

    explicit tlsf(std::size_t region_bytes = lab_region_bytes) : region_{region_bytes} {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return region_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        region_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.tlsf",
                 .summary = "tlsf_resource of 640 MiB",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    tlsf_resource region_;
};

/// The free list of Kaltenbrunn's thesis, written from its description (6.1.4), with first fit: a
/// header of 16 bytes before each allocation, the holes in one list by address, through which every
/// allocation and every free walks. For scale; alignments up to 16.
class thesis_free_list {
public:
    static constexpr bool in_one_region = true;

    thesis_free_list()
        : first_{::new(page_source().allocate(region_bytes)) hole{region_bytes, nullptr}},
          region_{first_} {}
    ~thesis_free_list() { page_source().deallocate(region_, region_bytes); }
    thesis_free_list(const thesis_free_list&) = delete;
    thesis_free_list& operator=(const thesis_free_list&) = delete;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) {
        const std::size_t needed = align_up(bytes, 16) + sizeof(header);
        hole** link = &first_;
        while (*link != nullptr && (*link)->bytes < needed)
            link = &(*link)->next;
        if (*link == nullptr)
            throw std::bad_alloc{};
        hole* const taken = *link;
        std::size_t size = taken->bytes;
        if (size - needed <= sizeof(header)) { // too small for another allocation
            *link = taken->next;
        } else {
            size = needed;
            *link = ::new (reinterpret_cast<std::byte*>(taken) + needed)
                hole{taken->bytes - needed, taken->next};
        }
        return ::new (static_cast<void*>(taken)) header{size, 0} + 1;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept {
        void* const begin = static_cast<header*>(p) - 1;
        const std::size_t bytes = static_cast<header*>(begin)->bytes;
        hole* below = nullptr;
        hole* above = first_;
        for (; above != nullptr && static_cast<void*>(above) < begin; above = above->next)
            below = above;
        hole* freed = ::new (begin) hole{bytes, above};
        if (above != nullptr && end_of(freed) == above)
            *freed = {freed->bytes + above->bytes, above->next};
        if (below == nullptr)
            first_ = freed;
        else if (end_of(below) == freed)
            *below = {below->bytes + freed->bytes, freed->next};
        else
            below->next = freed;
    }

    static std::vector<subject_info> ways() {
        return {{.name = "thesis.free_list",
                 .summary = "the thesis's walking free list, first fit, of 640 MiB",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    static constexpr std::size_t region_bytes = lab_region_bytes;

    struct header {
        std::size_t bytes, padding;
    };
    struct hole {
        std::size_t bytes;
        hole* next;
    };
    [[nodiscard]] static void* end_of(hole* h) noexcept {
        return reinterpret_cast<std::byte*>(h) + h->bytes;
    }

    hole* first_;
    void* region_;
};

} // namespace arenite::lab
