// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The subjects that live in arenite-lab itself: Arenite's, the C++ compiler's own, and pools and
// containers of libraries that leave malloc alone, where CMake found them.

#include "affinity.hpp"
#include "arenite.hpp"
#include "containers.hpp"
#include "freelist.hpp"
#include "handle.hpp"
#include "linear.hpp"
#include "objects.hpp"
#include "offset.hpp"
#include "snapshots.hpp"
#include "std.hpp"
#if defined(ARENITE_LAB_BOOST)
#include "boost.hpp"
#endif
#if defined(ARENITE_LAB_FOONATHAN)
#include "foonathan.hpp"
#endif
#if defined(ARENITE_LAB_PLF)
#include "plf.hpp"
#endif
#if defined(ARENITE_LAB_VMA)
#include "vma.hpp"
#endif

namespace arenite::lab {

using subjects = subject_list<
    pool_as<pool_by_default>, pool_as<pool_retaining>, pool_allocating, container_pool_sharing,
    suballocating<suballocator_own>, suballocating<suballocator_over_std>,
    suballocating<suballocator_shared>,
#if defined(ARENITE_LAB_BOOST)
    boost_fast_pool, boost_container_pool<boost_adaptive>, boost_container_pool<boost_node>,
#endif
#if defined(ARENITE_LAB_FOONATHAN)
    foonathan_node_pool,
#endif
#if defined(ARENITE_LAB_PLF)
    plf_colony,
#endif
#if defined(ARENITE_LAB_VMA)
    vma, vma_min_memory,
#endif
    ordered_as<ordered_by_default>, ordered_as<ordered_retaining>, ordered_ready, ordered_deferred,
    affinity_as<affinity_ordered>, affinity_as<affinity_near>, affinity_as<affinity_intrusive>,
    affinity_as<affinity_slots>, affinity_as<affinity_standard>, shared, object_pooled,
    chosen_by_use, ordered_synchronized, ordered_as<ordered_kept>, ordered_virtual, linear,
    linear_as<linear_low>, linear_as<linear_high>, linear_as<linear_buffered>,
    linear_as<linear_frames>, linear_as<linear_growing>, linear_as<linear_growing_4k>,
    linear_as<linear_scratch>, free_list_as<fit::first>, free_list_as<fit::best>, tlsf,
    thesis_free_list, restorable, copied_whole, offset_bins, offset_best_fit, offset_first_fit,
    offset_memory_slots, slots_by_offset, compacting, compacting_bounded, std_new, c_malloc,
    pmr_pool, std_vector, std_pointers>;

} // namespace arenite::lab
