// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/resource.hpp>

#include <cstddef>
#include <exception>
#include <new>

namespace support {

/// A resource of the standard library or of a user, as the library sees it: it cannot say no but by
/// throwing. Sends everything to an inner one.
template <arenite::Allocating R>
class throwing_resource final : public arenite::resource {
public:
    explicit throwing_resource(R& inner) noexcept : inner_{inner} {}

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* p = inner_.try_allocate(bytes, alignment);
        if (p == nullptr) {
#if ARENITE_EXCEPTIONS
            throw std::bad_alloc{};
#else
            std::terminate();
#endif
        }
        return p;
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        inner_.deallocate(p, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const arenite::resource& other) const noexcept override {
        return this == &other;
    }

    R& inner_;
};

} // namespace support
