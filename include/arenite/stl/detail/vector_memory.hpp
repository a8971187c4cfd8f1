// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/passthrough.hpp>
#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include <cstddef>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Where a growing_vector has its memory: a resource of somebody else's.
template <class R>
class vector_memory {
public:
    explicit vector_memory(R& r) noexcept : resource_{&r} {}

    /// The resource, made ready to be allocated from.
    [[nodiscard]] R& ready() noexcept { return *resource_; }
    [[nodiscard]] R* get() const noexcept { return resource_; }
    [[nodiscard]] static constexpr std::size_t most_bytes() noexcept { return max_object_bytes; }
    /// The most that it grows by before it is needed.
    [[nodiscard]] static constexpr std::size_t largest_step() noexcept { return max_object_bytes; }
    /// False where elements stay where they are, or nothing is to be had.
    [[nodiscard]] static constexpr bool may_move() noexcept { return true; }
    /// Memory above the elements goes back, where a resource would keep it for them.
    void give_back() noexcept {}

private:
    R* resource_;
};

/// Where it has addresses of its own: reserved with the first element, in a resource that lies in
/// malloc's memory, so that a vector that moves takes both along.
template <>
class vector_memory<growing_linear_resource> {
public:
    explicit vector_memory(growing_linear_resource& r) noexcept : resource_{&r} {}
    explicit vector_memory(std::size_t address_bytes) noexcept : own_bytes_{address_bytes} {}
    /// A copy of one with addresses of its own gets its own as well.
    vector_memory(const vector_memory& o) noexcept
        : resource_{o.owns() ? nullptr : o.resource_}, own_bytes_{o.own_bytes_} {}
    vector_memory(vector_memory&& o) noexcept
        : resource_{o.owns() ? std::exchange(o.resource_, nullptr) : o.resource_},
          own_bytes_{o.own_bytes_} {}
    vector_memory& operator=(vector_memory o) noexcept {
        std::swap(resource_, o.resource_);
        std::swap(own_bytes_, o.own_bytes_);
        return *this;
    }
    ~vector_memory() {
        if (owns() && resource_ != nullptr)
            destroy(system_resource(), resource_);
    }

    [[nodiscard]] growing_linear_resource& ready() {
        if (resource_ == nullptr)
            resource_ = create<growing_linear_resource>(system_resource(), own_bytes_);
        return *resource_;
    }
    [[nodiscard]] growing_linear_resource* get() const noexcept { return resource_; }
    [[nodiscard]] std::size_t most_bytes() const noexcept {
        return owns() ? own_bytes_ : max_object_bytes;
    }
    [[nodiscard]] std::size_t largest_step() const noexcept {
        return owns() ? 32_MiB : max_object_bytes;
    }
    [[nodiscard]] bool may_move() const noexcept { return !owns() || passthrough(); }
    void give_back() noexcept {
        if (owns() && resource_ != nullptr)
            resource_->trim();
    }

private:
    [[nodiscard]] bool owns() const noexcept { return own_bytes_ != 0; }

    growing_linear_resource* resource_ = nullptr;
    std::size_t own_bytes_ = 0; ///< 0: the resource is somebody else's
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
