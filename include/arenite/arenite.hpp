// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// All of Arenite but interop/, from the ground up; README.md here says what each folder is.
// To keep compile times short, include only the headers you use.

#include <arenite/core/alignment.hpp>
#include <arenite/core/budget.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/describe.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/member_list.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <arenite/os/memory_limits.hpp>
#include <arenite/os/page_resource.hpp>

#include <arenite/check/call_sites.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/no_allocation_scope.hpp>
#include <arenite/check/passthrough.hpp>

#include <arenite/report/layout.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/region_totals.hpp>
#include <arenite/report/sampled_site.hpp>
#include <arenite/report/usage_difference.hpp>
#include <arenite/report/usage_node.hpp>
#include <arenite/report/usage_snapshot.hpp>

#include <arenite/block/return_policy.hpp>

#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/linear/scratch.hpp>

#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/freelist/tlsf_load.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/slot.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/ordered/deferred_frees.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <arenite/compose/allocator_resource.hpp>
#include <arenite/compose/budget_group.hpp>
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/observed_resource.hpp>
#include <arenite/compose/recording_resource.hpp>
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>

#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <arenite/affinity/affine.hpp>
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/affinity_usage.hpp>
#include <arenite/affinity/intrusive_resource.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/affinity/slots_resource.hpp>

#include <arenite/offset/budgeted_blocks.hpp>
#include <arenite/offset/memory_slots.hpp>
#include <arenite/offset/moves.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_move.hpp>
#include <arenite/offset/offset_moves.hpp>
#include <arenite/offset/offset_parts.hpp>
#include <arenite/offset/offset_requirement.hpp>
#include <arenite/offset/offset_source.hpp>

#include <arenite/stl/affinity_allocator.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/containers.hpp>
#include <arenite/stl/growing_vector.hpp>
#include <arenite/stl/inline_list.hpp>
#include <arenite/stl/inline_map.hpp>
#include <arenite/stl/inline_set.hpp>
#include <arenite/stl/inline_unordered_map.hpp>
#include <arenite/stl/page_allocator.hpp>
#include <arenite/stl/pool_allocator.hpp>
#include <arenite/stl/resource_allocator.hpp>
#include <arenite/stl/suballocator.hpp>

#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/object/object_rules.hpp>
#include <arenite/object/observer_ptr.hpp>
#include <arenite/object/pool_weak_ptr.hpp>
#include <arenite/object/ref_counted.hpp>
#include <arenite/object/try_create.hpp>
#include <arenite/object/unique_array.hpp>
#include <arenite/object/unique_ptr.hpp>

#include <arenite/soa/by.hpp>
#include <arenite/soa/column_view.hpp>
#include <arenite/soa/layout.hpp>
#include <arenite/soa/record_reference.hpp>
#include <arenite/soa/records.hpp>

#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/compaction_step.hpp>
#include <arenite/handle/handle.hpp>
#include <arenite/handle/pinned.hpp>
#include <arenite/handle/relocatable_ptr.hpp>
#include <arenite/handle/relocation.hpp>
#include <arenite/handle/slot_key.hpp>
#include <arenite/handle/slot_map.hpp>
