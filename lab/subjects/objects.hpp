// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "affinity.hpp"

#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/object/object_pool.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace arenite::lab {

/// object_pool, which hands out objects and their owners.
class object_pooled {
public:
    template <class T>
    class objects {
    public:
        using owner = typename object_pool<T>::pointer;

        template <class... Args>
        [[nodiscard]] owner acquire(Args&&... args) {
            return pool_.acquire(std::forward<Args>(args)...);
        }
        template <class F>
        void for_each(F f) {
            pool_.for_each(f);
        }

    private:
        object_pool<T> pool_;
    };

    template <class T>
    class bag {
    public:
        using handle = T*;

        handle insert(const T& object) { return pool_.acquire(object).release(); }
        void erase(handle which) noexcept { typename object_pool<T>::pointer{which}.reset(); }
        template <class F>
        void for_each(F f) {
            pool_.for_each(f);
        }

    private:
        object_pool<T> pool_;
    };

    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.object_pool",
                                .summary = "object_pool, default rules",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

/// The types that the documentation recommends, each for its use: an object_pool for particles, an
/// affinity for a scene's nodes, a double_buffered_resource for commands, a linear_resource for
/// what lives a frame. For workloads that have all these; the rest of it is an affinity.
class chosen_by_use : public affinity_as<affinity_ordered> {
public:
    static constexpr bool one_of_several = true;

    template <class T>
    using objects = object_pooled::objects<T>;
    using buffers = double_buffered_resource;
    using temporaries = linear_resource;

    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.chosen",
                                .summary = "object_pool, affinity, double_buffered and linear "
                                           "resource, each for its use",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

} // namespace arenite::lab
