// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Forward declarations of the types that programs refer to most: for a header that mentions an
// `arenite::ordered_heap&` or an `arenite::handle<T>*` and needs no more. Templates come without
// their default arguments: name all, or include the type's own header.

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

class page_resource;
class region_sink;
struct usage;

class linear_resource;
class growing_linear_resource;
class double_ended_resource;
class double_buffered_resource;
template <std::size_t N>
class frame_resource;
template <std::size_t Bytes>
class inline_linear_resource;

class free_list_resource;
class handover_resource;
class restorable_heap;
class tlsf_resource;
class pool_resource;
class suballocator_resource;
class deferred_frees;
class ordered_heap;

class affinity_heap;
class shared_heap;
class intrusive_resource;
class slots_resource;

class budget_group;

class offset_allocator;
class offset_heap;
class memory_slots;

class container_pool;
template <class T, class R>
class growing_vector;
template <class T, class R>
class resource_allocator;
template <class T, std::size_t N>
class pool_allocator;

struct object_rules;
template <class T, class Rules>
class object_pool;
template <class T, class R>
class unique_ptr;
template <class T>
class intrusive_ptr;
template <class T>
class observer_ptr;

namespace layout {
struct aos;
struct soa;
template <std::size_t N>
struct aosoa;
} // namespace layout
template <class T, class Layout>
class records;

class compacting_heap;
template <class T>
class handle;
template <class T>
class pinned;
template <class T>
class relocatable_ptr;
template <class T>
class slot_map;

} // namespace ARENITE_ABI
} // namespace arenite
