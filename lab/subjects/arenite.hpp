// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/block/return_policy.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#if __has_include(<arenite/ordered/deferred_frees.hpp>)
#include <arenite/ordered/deferred_frees.hpp>
#endif
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace arenite::lab {

/// A way without huge pages, of the same code: set at the process's page source.
[[nodiscard]] inline subject_info without_huge_pages(subject_info info) {
    info.name += "-4k";
    info.summary += ", no huge pages";
    info.pages = "4k";
    info.environment.emplace_back("ARENITE_HUGE_PAGES", "never");
    return info;
}

/// ordered_heap through its own type, with the options of a Kind.
template <class Kind>
class ordered_as {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if constexpr (Kind::options.sizes == sizes::kept)
            heap_.deallocate(p);
        else
            heap_.deallocate(p, bytes, alignment);
    }
    template <resizes_in_place Heap = ordered_heap>
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
        return static_cast<Heap&>(heap_).try_resize(p, old_bytes, new_bytes);
    }

    static std::vector<subject_info> ways() { return Kind::ways(); }

private:
    ordered_heap heap_{Kind::options};
};

/// The defaults.
struct ordered_by_default {
    static constexpr ordered_options options{};
    static std::vector<subject_info> ways() {
        const subject_info info{
            .name = "arenite.ordered", .summary = "ordered_heap, default options", .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

/// Empty memory is kept until the end.
struct ordered_retaining {
    static constexpr ordered_options options{.policy = return_policy::retain_all};
    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.ordered.retain",
                                .summary = "ordered_heap, return_policy::retain_all",
                                .pages = "huge"};
        std::vector<subject_info> all{info, without_huge_pages(info)};
        all.back().on_request = true;
        return all;
    }
};

/// With sizes kept, as size_of and unsized frees require; freed without the size.
struct ordered_kept {
    static constexpr ordered_options options{.sizes = sizes::kept};
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered.kept",
                 .summary = "ordered_heap, sizes::kept, unsized frees",
                 .pages = "huge",
                 .on_request = true}};
    }
};

/// Whoever calls it has the pages of the next frame made resident before: outside the frame.
class ordered_ready : public ordered_as<ordered_by_default> {
public:
    static void ready(std::size_t bytes) { prepare(page_source(), bytes); }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered.ready",
                 .summary = "ordered_heap, page_source().prepare() between frames",
                 .pages = "huge"}};
    }

private:
    template <class Source>
    static void prepare(Source& source, std::size_t bytes) {
        if constexpr (requires { source.prepare(bytes); })
            source.prepare(bytes);
    }
};

#if __has_include(<arenite/ordered/deferred_frees.hpp>)
/// Within a scope of deferred frees.
class ordered_deferred {
public:
    static constexpr bool frees_later = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        frees_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered.deferred",
                 .summary = "ordered_heap, frees through deferred_frees",
                 .pages = "huge"}};
    }

private:
    ordered_heap heap_;
    deferred_frees frees_{heap_};
};
#else
class ordered_deferred : public ordered_as<ordered_by_default> {
public:
    static constexpr bool frees_later = true;

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered.deferred",
                 .summary = "ordered_heap; this version has no deferred_frees",
                 .pages = "huge",
                 .on_request = true}};
    }
};
#endif

/// Through arenite::resource&, as std::pmr containers call it.
class ordered_virtual {
public:
    ordered_virtual() { opaque(&interface_); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return interface_->allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        interface_->deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered-virtual",
                 .summary = "ordered_heap called through resource&, retain_all",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    ordered_heap heap_{ordered_options{.policy = return_policy::retain_all}};
    resource* interface_ = &heap_;
};

/// pool_resource through its own type, with the options of a Kind.
template <class Kind>
class pool_as {
public:
    template <std::size_t Bytes, std::size_t Alignment>
    class pool {
    public:
        [[nodiscard]] void* allocate(std::size_t, std::size_t) { return slots_.allocate(); }
        void deallocate(void* p, std::size_t, std::size_t) noexcept { slots_.deallocate(p); }

    private:
        pool_resource slots_{slot{.bytes = Bytes, .alignment = Alignment}, Kind::options};
    };

    template <class T>
    class bag {
    public:
        using handle = T*;

        handle insert(const T& object) { return ::new (slots_.allocate()) T{object}; }
        void erase(handle which) noexcept { slots_.deallocate(which); }
        template <class F>
        void for_each(F f) {
            slots_.for_each<T>(f);
        }

    private:
        pool_resource slots_{slot::of<T>(), Kind::options};
    };

    static std::vector<subject_info> ways() { return Kind::ways(); }
};

/// The defaults.
struct pool_by_default {
    static constexpr pool_options options{};
    static std::vector<subject_info> ways() {
        const subject_info info{
            .name = "arenite.pool", .summary = "pool_resource, default options", .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

/// Empty memory is kept until the end.
struct pool_retaining {
    static constexpr pool_options options{.policy = return_policy::retain_all};
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.pool.retain",
                 .summary = "pool_resource, return_policy::retain_all",
                 .pages = "huge"}};
    }
};

/// linear_resource of a capacity that the workload tells; its memory is malloc's, and there before
/// the first request.
class linear {
public:
    void prepare(std::size_t bytes) { resource_.emplace(bytes, linear_options{.eager = true}); }
    void reset() noexcept { resource_->reset(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return resource_->allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        resource_->deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.linear",
                 .summary = "linear_resource, of sufficient capacity, over malloc",
                 .pages = "4k"}};
    }

private:
    std::optional<linear_resource> resource_;
};

} // namespace arenite::lab
