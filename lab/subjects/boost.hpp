// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "allocators.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

// Boost.Container's pools lock by default; one thread needs no lock. (Boost.Pool takes its mutex as
// a parameter.)
#define BOOST_CONTAINER_NO_MT
#include <boost/container/adaptive_pool.hpp>
#include <boost/container/node_allocator.hpp>
#include <boost/pool/pool_alloc.hpp>
#include <boost/version.hpp>

namespace arenite::lab {

[[nodiscard]] inline std::string boost_version() {
    return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
}

/// A slot of the pools below: so many bytes, so aligned.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) boost_slot {
    std::array<std::byte, Bytes> bytes;
};

/// Boost.Pool's allocator for single objects, without a lock, by its calls for one object.
class boost_fast_pool {
public:
    template <std::size_t Bytes, std::size_t Alignment>
    class pool {
    public:
        [[nodiscard]] void* allocate(std::size_t, std::size_t) { return shared::allocate(); }
        void deallocate(void* p, std::size_t, std::size_t) {
            shared::deallocate(static_cast<boost_slot<Bytes, Alignment>*>(p));
        }

    private:
        using shared = boost::fast_pool_allocator<boost_slot<Bytes, Alignment>,
                                                  boost::default_user_allocator_new_delete,
                                                  boost::details::pool::null_mutex>;
    };

    template <class T>
    [[nodiscard]] node_allocator<T, boost_fast_pool> allocator_of() {
        return {};
    }

    static std::vector<subject_info> ways() {
        return {{.name = "boost.fast_pool",
                 .summary = "boost::fast_pool_allocator with null_mutex, over operator new",
                 .pages = "4k",
                 .version = boost_version()}};
    }
};

/// Boost.Container's allocators for nodes, compiled without locks, by their calls for one object.
template <class Kind>
class boost_container_pool {
public:
    template <std::size_t Bytes, std::size_t Alignment>
    class pool {
    public:
        [[nodiscard]] void* allocate(std::size_t, std::size_t) { return shared_.allocate_one(); }
        void deallocate(void* p, std::size_t, std::size_t) noexcept {
            shared_.deallocate_one(static_cast<boost_slot<Bytes, Alignment>*>(p));
        }

    private:
        typename Kind::template allocator<boost_slot<Bytes, Alignment>> shared_;
    };

    template <class T>
        requires Kind::in_containers
    [[nodiscard]] node_allocator<T, boost_container_pool> allocator_of() {
        return {};
    }

    static std::vector<subject_info> ways() {
        return {{.name = Kind::name,
                 .summary = Kind::summary,
                 .pages = "4k",
                 .version = boost_version()}};
    }
};

/// Gives empty blocks back.
struct boost_adaptive {
    template <class T>
    using allocator = boost::container::adaptive_pool<T>;
    static constexpr bool in_containers = true;
    static constexpr const char* name = "boost.adaptive_pool";
    static constexpr const char* summary = "boost::container::adaptive_pool without locks";
};

struct boost_node {
    template <class T>
    using allocator = boost::container::node_allocator<T>;
    static constexpr bool in_containers = false; ///< as the one above, but that it keeps all
    static constexpr const char* name = "boost.node_allocator";
    static constexpr const char* summary = "boost::container::node_allocator without locks";
};

} // namespace arenite::lab
