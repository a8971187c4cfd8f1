// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/block/return_policy.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace arenite::lab {

/// The same code without huge pages: the process's page source is told so.
[[nodiscard]] inline subject_info without_huge_pages(subject_info info) {
    info.name += "-4k";
    info.summary += ", no huge pages";
    info.pages = "4k";
    info.environment.emplace_back("ARENITE_HUGE_PAGES", "never");
    return info;
}

/// ordered_heap through its own type; empty memory is kept until the end.
class ordered {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.ordered",
                                .summary = "ordered_heap, return_policy::retain_all",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }

private:
    ordered_heap heap_{ordered_options{.policy = return_policy::retain_all}};
};

/// As a user gets it who sets nothing: much that is empty goes back at once.
class ordered_default_policy {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        heap_.deallocate(p, bytes, alignment);
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered-default-policy",
                 .summary = "ordered_heap, default return policy",
                 .pages = "huge"}};
    }

private:
    ordered_heap heap_;
};

/// With a second bitmap, so that size_of and unsized frees work; freed without the size.
class ordered_kept {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { heap_.deallocate(p); }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.ordered-kept",
                 .summary = "ordered_heap, sizes::kept, retain_all, unsized frees",
                 .pages = "huge",
                 .on_request = true}};
    }

private:
    ordered_heap heap_{
        ordered_options{.sizes = sizes::kept, .policy = return_policy::retain_all}};
};

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

/// linear_resource of a capacity that the workload tells; its memory is malloc's, and there before the
/// first request.
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
