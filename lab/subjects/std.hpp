// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#include <malloc.h>
#endif

namespace arenite::lab {

[[nodiscard]] inline std::string c_library_version() {
#if defined(__GLIBC__)
    return std::string{"glibc "} + gnu_get_libc_version();
#else
    return "the system's C library";
#endif
}

/// The variable that makes the C library's malloc ask for huge pages, where it knows one.
[[nodiscard]] inline std::optional<std::pair<std::string, std::string>> huge_pages_by_tunable() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
    return {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}};
#else
    return std::nullopt;
#endif
}

/// The work of std::allocator: operator new and the sized operator delete, here over the C library.
class std_new {
public:
    static constexpr bool for_any_thread = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
            return ::operator new(bytes, std::align_val_t{alignment});
        return ::operator new(bytes);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
            ::operator delete(p, bytes, std::align_val_t{alignment});
        else
            ::operator delete(p, bytes);
    }
    static void deallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        std_new{}.deallocate(p, bytes, alignment);
    }
    static void deallocate_any(void* p) noexcept { ::operator delete(p); }

    template <class T>
    [[nodiscard]] std::allocator<T> allocator_of() {
        return {};
    }
#if defined(__GLIBC__)
    template <class C>
    void trim(C&) {
        ::malloc_trim(0);
    }
#endif

    static std::vector<subject_info> ways() {
        std::vector<subject_info> all{{.name = "std",
                                       .summary = "operator new and delete over the C library",
                                       .pages = "4k",
                                       .version = c_library_version()}};
        if (const auto asking = huge_pages_by_tunable())
            all.push_back({.name = "std-thp",
                           .summary = "the same, glibc told to ask for huge pages",
                           .pages = "huge",
                           .environment = {*asking},
                           .version = c_library_version()});
        return all;
    }
};

/// The C library's malloc, called by its own name as the seeds do.
class c_malloc {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > alignof(std::max_align_t))
            return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        return std::malloc(bytes);
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { std::free(p); }

    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) noexcept {
        return std::realloc(p, bytes);
    }
    static void deallocate_any(void* p) noexcept { std::free(p); }
#if defined(__GLIBC__)
    [[nodiscard]] static std::size_t usable_bytes(void* p) noexcept {
        return ::malloc_usable_size(p);
    }
    template <class C>
    void trim(C&) {
        ::malloc_trim(0);
    }
#endif

    static std::vector<subject_info> ways() {
        std::vector<subject_info> all{{.name = "malloc",
                                       .summary = "malloc and free of the C library",
                                       .pages = "4k",
                                       .on_request = true,
                                       .version = c_library_version()}};
        if (const auto asking = huge_pages_by_tunable()) {
            all.push_back(all.front());
            all.back().name += "-thp";
            all.back().summary += ", told to ask for huge pages";
            all.back().pages = "huge";
            all.back().environment.push_back(*asking);
        }
        return all;
    }
};

/// The standard library's pools; one object is one heap. Called through its own, final type.
class pmr_pool {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        pool_.deallocate(p, bytes, alignment);
    }

    /// Virtual calls are part of it: std::pmr's containers make them.
    template <class T>
    [[nodiscard]] std::pmr::polymorphic_allocator<T> allocator_of() {
        return {&pool_};
    }

    static std::vector<subject_info> ways() {
        return {{.name = "pmr.pool",
                 .summary = "std::pmr::unsynchronized_pool_resource over operator new",
                 .pages = "4k",
#if defined(_LIBCPP_VERSION)
                 .version = "libc++"}};
#else
                 .version = "libstdc++"}};
#endif
    }

private:
    std::pmr::unsynchronized_pool_resource pool_;
};

/// The floor of going through objects: they lie side by side in a vector, and the last one takes
/// the place of one that is erased. No container of stable addresses can do that.
class std_vector {
public:
    template <class T>
    class bag {
    public:
        using handle = std::size_t; ///< the how manieth that was inserted

        handle insert(const T& object) {
            places_.push_back(objects_.size());
            objects_.push_back({object, places_.size() - 1});
            return places_.size() - 1;
        }
        void erase(handle which) {
            const std::size_t place = places_[which];
            objects_[place] = objects_.back();
            places_[objects_[place].number] = place;
            objects_.pop_back();
        }
        template <class F>
        void for_each(F f) {
            for (entry& e : objects_)
                f(e.object);
        }

    private:
        struct entry {
            T object;
            std::size_t number;
        };
        std::vector<entry> objects_;
        std::vector<std::size_t> places_;
    };

    static std::vector<subject_info> ways() {
        return {{.name = "std.vector",
                 .summary = "a dense std::vector, whose objects move: the floor",
                 .pages = "4k",
                 .floor = true}};
    }
};

/// Objects of their own in the order of their insertion; where one was erased, the pointer is null.
class std_pointers {
public:
    template <class T>
    class bag {
    public:
        using handle = std::size_t;

        handle insert(const T& object) {
            objects_.push_back(std::make_unique<T>(object));
            return objects_.size() - 1;
        }
        void erase(handle which) { objects_[which].reset(); }
        template <class F>
        void for_each(F f) {
            for (const std::unique_ptr<T>& object : objects_)
                if (object != nullptr)
                    f(*object);
        }

    private:
        std::vector<std::unique_ptr<T>> objects_;
    };

    static std::vector<subject_info> ways() {
        return {{.name = "std.pointers",
                 .summary = "a std::vector of std::unique_ptr, none of which moves",
                 .pages = "4k"}};
    }
};

} // namespace arenite::lab
