// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/resource.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Where a resource gets its memory: a reference to another resource and, captured from its
/// concrete type, how to ask it without exceptions and whether it lends pages.
///
/// Converts implicitly from a resource, by reference or, as in std::pmr, by pointer: for a
/// parameter of type `upstream` a user writes `my_resource`, `&my_resource` or a `resource*`. Over
/// a bare `resource` an exception is turned into nullptr; in builds without exceptions its failure
/// ends in the contract handler. Does not own the resource.
class upstream {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): this is how users name an upstream
    upstream(resource* source) noexcept : source_{source}, try_allocate_{&try_any} {}

    // Exactly a resource or a class derived from it: anything that converts to one would be a
    // temporary.
    template <class R>
        requires(std::derived_from<R, resource> && !std::is_const_v<R>)
    // NOLINTNEXTLINE(google-explicit-constructor): upstreams are given as they are
    upstream(R& source) noexcept : upstream{&source} {}

    template <class R>
        requires(std::derived_from<R, resource> && !std::same_as<R, resource> &&
                 !std::is_const_v<R>)
    // NOLINTNEXTLINE(google-explicit-constructor): upstreams are given as they are
    upstream(R* source) noexcept : source_{source}, try_allocate_{&try_any} {
        if constexpr (Allocating<R>)
            try_allocate_ = &try_concrete<R>;
        if constexpr (Purging<R>)
            lending_ = &lends<R>;
    }

    /// Returns nullptr if the resource has no memory, also if it throws.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) const noexcept {
        return try_allocate_(source_, bytes, alignment);
    }

    /// try_allocate, with a hint for a source of pages; that one tells whether the memory is zero.
    [[nodiscard]] lent_memory lend(std::size_t bytes, std::size_t alignment,
                                   page_use use) const noexcept {
        if (lending_ != nullptr && lending_->lend != nullptr)
            return lending_->lend(source_, bytes, alignment, use);
        return {.p = try_allocate(bytes, alignment)};
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) const {
        source_->deallocate(p, bytes, alignment);
    }

    /// True if the resource lends whole private pages (see concept Purging).
    [[nodiscard]] bool purges() const noexcept { return lending_ != nullptr; }

    /// Returns the physical memory of whole pages; their contents are lost. Requires purges().
    void purge(void* p, std::size_t bytes) const noexcept { lending_->purge(source_, p, bytes); }

    /// deallocate, but without the delay that a resource of pages may have: the memory leaves the
    /// process with this call.
    void release(void* p, std::size_t bytes, std::size_t alignment) const {
        if (lending_ != nullptr)
            lending_->release(source_, p, bytes, alignment);
        else
            source_->deallocate(p, bytes, alignment);
    }

    /// release or deallocate: what goes back by itself may wait at a source of pages, what goes by
    /// trim() or return_policy::return_all may not.
    void give_back(void* p, std::size_t bytes, std::size_t alignment, bool at_once) const {
        if (at_once)
            release(p, bytes, alignment);
        else
            deallocate(p, bytes, alignment);
    }

    /// Sends memory that waits at a source of pages to the system. Nothing at other resources.
    void trim() const noexcept {
        if (lending_ != nullptr && lending_->trim != nullptr)
            lending_->trim(source_);
    }

    /// Lets a source of pages return what has waited there long enough: a heap calls it when it is
    /// slow anyway. Nothing at other resources.
    void give_back_due() const noexcept {
        if (lending_ != nullptr && lending_->give_back_due != nullptr)
            lending_->give_back_due(source_);
    }

    [[nodiscard]] resource* get() const noexcept { return source_; }

private:
    using try_function = void* (*)(resource*, std::size_t, std::size_t) noexcept;

    /// The further operations of a resource that lends pages.
    struct lending {
        void (*purge)(resource*, void*, std::size_t) noexcept;
        void (*release)(resource*, void*, std::size_t, std::size_t);
        lent_memory (*lend)(resource*, std::size_t, std::size_t, page_use) noexcept;
        void (*trim)(resource*) noexcept;
        void (*give_back_due)(resource*) noexcept;
    };

    /// The one place that turns an exception into nullptr.
    static void* try_any(resource* source, std::size_t bytes, std::size_t alignment) noexcept;

    template <class R>
    static void* try_concrete(resource* source, std::size_t bytes, std::size_t alignment) noexcept {
        return static_cast<R*>(source)->try_allocate(bytes, alignment);
    }

    /// nullptr where R has no lend.
    template <class R>
    static constexpr auto lend_of() noexcept -> decltype(lending::lend) {
        if constexpr (Lending<R>)
            return [](resource* source, std::size_t bytes, std::size_t alignment,
                      page_use use) noexcept {
                return static_cast<R*>(source)->lend(bytes, alignment, use);
            };
        else
            return nullptr;
    }

    /// nullptr where nothing waits at R, or its trim() may fail.
    template <class R>
    static constexpr auto trim_of() noexcept -> decltype(lending::trim) {
        if constexpr (Releasing<R> && requires(R& r) {
                          { r.trim() } noexcept;
                      })
            return [](resource* source) noexcept { static_cast<R*>(source)->trim(); };
        else
            return nullptr;
    }

    /// nullptr where nothing waits at R.
    template <class R>
    static constexpr auto give_back_due_of() noexcept -> decltype(lending::give_back_due) {
        if constexpr (requires(R& r) {
                          { r.give_back_due() } noexcept;
                      })
            return [](resource* source) noexcept { static_cast<R*>(source)->give_back_due(); };
        else
            return nullptr;
    }

    template <class R>
    static constexpr lending lends{
        [](resource* source, void* p, std::size_t bytes) noexcept {
            static_cast<R*>(source)->purge(p, bytes);
        },
        [](resource* source, void* p, std::size_t bytes, std::size_t alignment) {
            auto& lender = *static_cast<R*>(source);
            if constexpr (Releasing<R>)
                lender.release(p, bytes, alignment);
            else
                lender.deallocate(p, bytes, alignment);
        },
        lend_of<R>(), trim_of<R>(), give_back_due_of<R>()};

    resource* source_;
    try_function try_allocate_;
    const lending* lending_ = nullptr;
};

} // namespace ARENITE_ABI
} // namespace arenite
