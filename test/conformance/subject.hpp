// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "conformance/every_container.hpp"
#include "conformance/every_pointer.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace conformance_suite {

using namespace arenite;

/// A resource under test, called through its own type: what the tests call is compiled once for
/// each resource, and the tests once for all. What a resource is not able to do may not be called.
class subject {
public:
    virtual ~subject() = default;

    [[nodiscard]] virtual resource& base() noexcept = 0;

    [[nodiscard]] virtual void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept = 0;
    [[nodiscard]] virtual void* try_allocate(std::size_t bytes) noexcept = 0;
    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;
    virtual void deallocate(void* p, std::size_t bytes) noexcept = 0;

    virtual void deallocate(void*) { unable(); }
    [[nodiscard]] virtual std::size_t size_of(const void*) const { return unable(), 0; }
    [[nodiscard]] virtual bool owns(const void*) const { return unable(), false; }
    [[nodiscard]] virtual arenite::usage usage() const { return unable(), arenite::usage{}; }
    virtual void list_regions(region_sink&) const { unable(); }
    virtual void trim() { unable(); }
    virtual void reset() { unable(); }

    [[nodiscard]] virtual std::span<double> allocate_doubles(std::size_t count) = 0;
    virtual void create_and_destroy_objects() = 0;
    virtual void use_every_container_of_pmr() = 0;
    virtual void use_every_container_of_its_type() = 0;
    virtual void use_every_pointer_of_its_type() = 0;

private:
    static void unable() { ADD_FAILURE() << "the resource is not able to do that"; }
};

/// The subject that is an R.
template <class R>
class subject_of : public subject {
public:
    explicit subject_of(R& r) noexcept : r_{r} {}

    [[nodiscard]] resource& base() noexcept override { return r_; }

    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept override {
        return r_.try_allocate(bytes, alignment);
    }
    [[nodiscard]] void* try_allocate(std::size_t bytes) noexcept override {
        return r_.try_allocate(bytes);
    }
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) override {
        return r_.allocate(bytes, alignment);
    }
    [[nodiscard]] void* allocate(std::size_t bytes) override { return r_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept override {
        r_.deallocate(p, bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes) noexcept override { r_.deallocate(p, bytes); }

    void deallocate(void* p) override {
        if constexpr (requires { r_.deallocate(p); })
            r_.deallocate(p);
        else
            subject::deallocate(p);
    }
    [[nodiscard]] std::size_t size_of(const void* p) const override {
        if constexpr (Sizing<R>)
            return r_.size_of(p);
        else
            return subject::size_of(p);
    }
    [[nodiscard]] bool owns(const void* p) const override {
        if constexpr (Owning<R>)
            return r_.owns(p);
        else
            return subject::owns(p);
    }
    [[nodiscard]] arenite::usage usage() const override {
        if constexpr (Measurable<R>)
            return r_.usage();
        else
            return subject::usage();
    }
    void list_regions(region_sink& sink) const override {
        if constexpr (Mappable<R>)
            r_.list_regions(sink);
        else
            subject::list_regions(sink);
    }
    void trim() override {
        if constexpr (Trimmable<R>)
            r_.trim();
        else
            subject::trim();
    }
    void reset() override {
        if constexpr (Resettable<R>)
            r_.reset();
        else
            subject::reset();
    }

    [[nodiscard]] std::span<double> allocate_doubles(std::size_t count) override {
        return allocate_n<double>(r_, count);
    }
    void create_and_destroy_objects() override {
        struct alignas(64) object {
            std::string text;
        };
        auto* o = create<object>(r_, "a text that is too long for the string itself");
        EXPECT_TRUE(is_aligned(o, 64));
        const auto numbers = allocate_n<double>(r_, 10);
        EXPECT_EQ(numbers.size(), 10u);
        deallocate_n(r_, numbers);
        destroy(r_, o);
    }
    void use_every_container_of_pmr() override {
        resource* base = &r_;
        use_every_container<std::pmr::polymorphic_allocator>(base);
    }
    void use_every_container_of_its_type() override { use_every_container<allocator_of_r>(r_); }
    void use_every_pointer_of_its_type() override { use_every_pointer(r_); }

private:
    template <class T>
    using allocator_of_r = resource_allocator<T, R>;

    R& r_;
};

} // namespace conformance_suite
