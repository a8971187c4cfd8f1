// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <plf_colony.h>
#include <vector>

namespace arenite::lab {

/// plf::colony: a container of objects that stay where they are, made to be gone through. Erased by
/// iterator, which is its fastest way.
class plf_colony {
public:
    template <class T>
    class bag {
    public:
        using handle = typename plf::colony<T>::iterator;

        handle insert(const T& object) { return objects_.insert(object); }
        void erase(handle which) { objects_.erase(which); }
        template <class F>
        void for_each(F f) {
            for (T& object : objects_)
                f(object);
        }

    private:
        plf::colony<T> objects_;
    };

    static std::vector<subject_info> ways() {
        return {
            {.name = "plf.colony", .summary = "plf::colony over std::allocator", .pages = "4k"}};
    }
};

} // namespace arenite::lab
