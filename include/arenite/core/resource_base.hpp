// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/same_build.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/resource.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// It has a name for messages, which stays as it is while the resource lives.
template <class R>
concept Named = requires(const R& r) {
    { r.name() } noexcept -> std::convertible_to<std::string_view>;
};

/// It has a budget, and tells what that leaves: for messages.
template <class R>
concept Budgeted = requires(const R& r) {
    { r.left_bytes() } noexcept -> std::same_as<std::size_t>;
};

/// It has a fixed capacity, and tells what remains of that: for messages.
template <class R>
concept Ending = requires(const R& r) {
    { r.remaining() } noexcept -> std::same_as<std::size_t>;
};

/// The name of a class without its namespaces and template arguments, for messages: made while
/// compiling, from what the compiler says of this function, so also without type information.
template <class Class>
[[nodiscard]] constexpr std::string_view class_name() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    // "... class_name<class arenite::v0_1::ordered_heap>(void)"
    std::string_view text = __FUNCSIG__;
    text.remove_prefix(text.find("class_name<") + 11);
    text.remove_prefix(text.find(' ') + 1);
#else
    // "... [with Class = arenite::v0_1::ordered_heap; ..."
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("Class = ") + 8);
#endif
    // The last part of it, without what stands in brackets: arguments, and where a class is local.
    std::size_t begin = 0, end = 0, depth = 0;
    for (; end < text.size(); ++end) {
        const char c = text[end];
        if (depth == 0 && (c == ';' || c == ']' || c == '>'))
            break;
        depth += c == '<' || c == '(' || c == '[' || c == '{' ? 1 : 0;
        depth -= c == '>' || c == ')' || c == ']' || c == '}' ? 1 : 0;
        if (depth == 0 && c == ':')
            begin = end + 1;
    }
    text = text.substr(begin, end - begin);
    return text.substr(0, text.find('<'));
}

/// Throws out_of_memory with all that a resource tells of itself.
template <class R>
[[noreturn]] ARENITE_COLD void refuse(const R& from, std::size_t bytes, std::size_t alignment) {
    std::string_view name;
    if constexpr (Named<R>)
        name = from.name();
    std::size_t left_bytes = out_of_memory::no_budget;
    if constexpr (Budgeted<R>)
        left_bytes = from.left_bytes();
    else if constexpr (Ending<R>)
        left_bytes = from.remaining();
    constexpr std::string_view kind = class_name<R>(); // made while compiling
    throw_out_of_memory(bytes, alignment, &from, name, left_bytes, kind);
}

} // namespace detail

/// Base of every concrete resource, which implements try_allocate and deallocate; this adds the
/// rest.
///
///     class my_resource final : public resource_base<my_resource> {
///     public:
///         void* try_allocate(std::size_t bytes,
///                            std::size_t alignment = default_alignment) noexcept;
///         void deallocate(void* p, std::size_t bytes,
///                         std::size_t alignment = default_alignment) noexcept;
///     };
///
/// Called through its own type (`my.allocate(48)`) a resource inlines; called through `resource&`
/// it is polymorphic. The names of the base are hidden on purpose; the derived functions repeat its
/// default arguments. Resources are equal only to themselves.
///
/// Use when:  you write a resource of your own: it is then one for std::pmr, an upstream for every
///            heap, and one whose allocate() throws out_of_memory with its request and its name.
/// Cost:      none through the own type: calls are resolved at compile time; through `resource&` a
///            virtual call.
/// Overhead:  the pointer to the virtual table, 8 bytes a resource.
/// Limits:    Derived is final, and neither copied nor moved. try_allocate serves 0 bytes as 1, and
///            every alignment that is a power of two, or returns nullptr; it does not throw.
/// Threads:   as Derived; one that says `static constexpr bool is_concurrent = true` is used by
///            any number of threads.
/// Failure:   allocate throws out_of_memory where try_allocate returns nullptr; without exceptions
///            the contract handler is called.
///
/// A Derived may divide its try_allocate in two, which the base may see: take_ready, inlined, and
/// where that returns nullptr allocate_slow, both `void*(bytes, alignment) noexcept`. In unchecked
/// builds allocate() then calls these.
template <class Derived>
class resource_base : public resource {
public:
    resource_base(const resource_base&) = delete;
    resource_base& operator=(const resource_base&) = delete;

    /// Memory of at least `bytes` (0 counts as 1) at a multiple of `alignment`, a power of two.
    /// Throws out_of_memory; then nothing has changed.
    [[nodiscard]] ARENITE_INLINE void* allocate(std::size_t bytes,
                                                std::size_t alignment = default_alignment) {
        Derived& self = static_cast<Derived&>(*this);
        if constexpr (!checks_enabled && requires {
                          { self.take_ready(bytes, alignment) } noexcept -> std::same_as<void*>;
                          { self.allocate_slow(bytes, alignment) } noexcept -> std::same_as<void*>;
                      }) {
            void* const ready = self.take_ready(bytes, alignment);
            return ready != nullptr ? ready : allocate_or_throw(bytes, alignment);
        } else {
            return or_throw(self.try_allocate(bytes, alignment), bytes, alignment);
        }
    }

protected:
    resource_base() = default;
    ~resource_base() override = default;

private:
    /// It throws behind the slow call, so that the inlined part keeps nothing for after that.
    [[nodiscard]] ARENITE_NOINLINE void* allocate_or_throw(std::size_t bytes,
                                                           std::size_t alignment) {
        return or_throw(static_cast<Derived&>(*this).allocate_slow(bytes, alignment), bytes,
                        alignment);
    }
    [[nodiscard]] ARENITE_INLINE void* or_throw(void* p, std::size_t bytes, std::size_t alignment) {
        if (p == nullptr) [[unlikely]]
            detail::refuse(static_cast<const Derived&>(*this), bytes, alignment);
        return p;
    }
    void* do_allocate(std::size_t bytes, std::size_t alignment) final {
        return allocate(bytes, alignment);
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) final {
        static_cast<Derived&>(*this).deallocate(p, bytes, alignment);
    }

    bool do_is_equal(const resource& other) const noexcept final { return this == &other; }
};

} // namespace ARENITE_ABI
} // namespace arenite
