// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// All of Arenite but interop/, from the ground up; README.md here says what each folder is.
// To keep compile times short, include only the headers you use.

#include <arenite/core/aggregate.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/atomic_access.hpp>
#include <arenite/core/bitmap_tree.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/budget.hpp>
#include <arenite/core/budget_meter.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/describe.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/glance.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/member_list.hpp>
#include <arenite/core/members.hpp>
#include <arenite/core/process_object.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/same_build.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/spin_lock.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/thread_exit.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <arenite/os/fork_lock.hpp>
#include <arenite/os/linux.hpp>
#include <arenite/os/page_mutex.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>
#include <arenite/os/windows.hpp>

#include <arenite/check/call_sites.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/one_thread.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/passthrough_chain.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/check/resource_text.hpp>

#include <arenite/report/layout.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/region_totals.hpp>
#include <arenite/report/text.hpp>
#include <arenite/report/usage_node.hpp>

#include <arenite/block/address_list.hpp>
#include <arenite/block/address_table.hpp>
#include <arenite/block/block.hpp>
#include <arenite/block/block_list.hpp>
#include <arenite/block/block_source.hpp>
#include <arenite/block/colouring.hpp>
#include <arenite/block/large_objects.hpp>
#include <arenite/block/region_joiner.hpp>
#include <arenite/block/return_policy.hpp>

#include <arenite/linear/allocation_log.hpp>
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_part.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/marker_order.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/linear/scratch.hpp>

#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/hole_tree.hpp>
#include <arenite/freelist/kind_sets.hpp>
#include <arenite/freelist/place_maxima.hpp>
#include <arenite/freelist/tlsf_load.hpp>
#include <arenite/freelist/tlsf_region.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/freelist/unit_map.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/row_table.hpp>
#include <arenite/pool/slot.hpp>
#include <arenite/pool/slot_cache.hpp>
#include <arenite/pool/slot_layout.hpp>
#include <arenite/pool/slot_pool.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/ordered/joined_slots.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/ordered/size_class.hpp>
#include <arenite/ordered/slab.hpp>
#include <arenite/ordered/slab_block.hpp>
#include <arenite/ordered/slab_geometry.hpp>
#include <arenite/ordered/slab_heap.hpp>
#include <arenite/ordered/slab_source.hpp>

#include <arenite/compose/allocator_resource.hpp>
#include <arenite/compose/byte_budget.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/headroom.hpp>
#include <arenite/compose/held_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/observed_resource.hpp>
#include <arenite/compose/recorder.hpp>
#include <arenite/compose/recording_resource.hpp>
#include <arenite/compose/resource_adaptor.hpp>
#include <arenite/compose/resource_pair.hpp>
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/compose/tally.hpp>
#include <arenite/compose/tracked_resource.hpp>

#include <arenite/affinity/affine.hpp>
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_pages.hpp>
#include <arenite/affinity/affinity_registry.hpp>
#include <arenite/affinity/affinity_share.hpp>
#include <arenite/affinity/affinity_shares.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/affinity_usage.hpp>
#include <arenite/affinity/intrusive_resource.hpp>
#include <arenite/affinity/outside_memory.hpp>
#include <arenite/affinity/remote_frees.hpp>
#include <arenite/affinity/slots_resource.hpp>
#include <arenite/affinity/thread_heaps.hpp>

#include <arenite/offset/move_planner.hpp>
#include <arenite/offset/moves.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_bins.hpp>
#include <arenite/offset/offset_blocks.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_move.hpp>
#include <arenite/offset/offset_nodes.hpp>
#include <arenite/offset/offset_parts.hpp>
#include <arenite/offset/offset_source.hpp>
#include <arenite/offset/offset_space.hpp>

#include <arenite/stl/affinity_allocator.hpp>
#include <arenite/stl/container_arrays.hpp>
#include <arenite/stl/container_heap.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/container_source.hpp>
#include <arenite/stl/containers.hpp>
#include <arenite/stl/libstdcxx_node_handles.hpp>
#include <arenite/stl/own_slots.hpp>
#include <arenite/stl/page_allocator.hpp>
#include <arenite/stl/pool_allocator.hpp>
#include <arenite/stl/resource_allocator.hpp>
#include <arenite/stl/shared_pool.hpp>
#include <arenite/stl/shared_slots.hpp>
#include <arenite/stl/small_container_heaps.hpp>
#include <arenite/stl/suballocator.hpp>

#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/object/object_range.hpp>
#include <arenite/object/object_rules.hpp>
#include <arenite/object/object_slots.hpp>
#include <arenite/object/observer_ptr.hpp>
#include <arenite/object/owner.hpp>
#include <arenite/object/pool_weak_ptr.hpp>
#include <arenite/object/ref_counted.hpp>
#include <arenite/object/try_create.hpp>
#include <arenite/object/unique_array.hpp>
#include <arenite/object/unique_ptr.hpp>

#include <arenite/soa/by.hpp>
#include <arenite/soa/column_view.hpp>
#include <arenite/soa/layout.hpp>
#include <arenite/soa/record_iterator.hpp>
#include <arenite/soa/record_reference.hpp>
#include <arenite/soa/records.hpp>
#include <arenite/soa/row_iterator.hpp>
#include <arenite/soa/row_memory.hpp>
#include <arenite/soa/row_origin.hpp>
#include <arenite/soa/row_sequence.hpp>

#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/compaction_step.hpp>
#include <arenite/handle/handle.hpp>
#include <arenite/handle/handle_table.hpp>
#include <arenite/handle/movable_blocks.hpp>
#include <arenite/handle/pinned.hpp>
#include <arenite/handle/readable_spans.hpp>
#include <arenite/handle/relocatable_ptr.hpp>
#include <arenite/handle/relocation.hpp>
#include <arenite/handle/slot_key.hpp>
#include <arenite/handle/slot_map.hpp>
#include <arenite/handle/visit_window.hpp>
