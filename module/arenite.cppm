// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The module `arenite`: what <arenite/arenite.hpp> declares, but its macros. Made by tools/module.py.
module;
#include <arenite/arenite.hpp>

export module arenite;

export namespace arenite {
using arenite::AffinityTag;
using arenite::Allocating;
using arenite::Concurrent;
using arenite::Lending;
using arenite::Mappable;
using arenite::Markable;
using arenite::Measurable;
using arenite::Observer;
using arenite::ObserverThatIsOff;
using arenite::Owning;
using arenite::Placing;
using arenite::Purging;
using arenite::Releasing;
using arenite::Relocatable;
using arenite::RequestObserver;
using arenite::Resettable;
using arenite::Resizing;
using arenite::Rounding;
using arenite::Sizing;
using arenite::TellsOfRelocation;
using arenite::Trimmable;
using arenite::UnsizedFreeing;
using arenite::VisitOrder;
using arenite::address_of;
using arenite::adopt_reference;
using arenite::adopt_reference_t;
using arenite::affine;
using arenite::affinity_allocator;
using arenite::affinity_heap;
using arenite::affinity_neighbourhood;
using arenite::affinity_options;
using arenite::affinity_strategy;
using arenite::affinity_strategy_name;
using arenite::affinity_usage;
using arenite::align_down;
using arenite::align_up;
using arenite::allocate;
using arenite::allocate_n;
using arenite::allocator_resource;
using arenite::budget;
using arenite::budget_group;
using arenite::budget_group_options;
using arenite::budget_level;
using arenite::budgeted_blocks;
using arenite::budgeted_resource;
using arenite::by;
using arenite::callback_resource;
using arenite::checks_enabled;
using arenite::column_view;
using arenite::compacting_heap;
using arenite::compaction_options;
using arenite::compaction_step;
using arenite::const_pointer_cast;
using arenite::container_pool;
using arenite::contract_handler;
using arenite::contract_violation;
using arenite::contract_violation_f;
using arenite::contract_violation_info;
using arenite::create;
using arenite::deallocate;
using arenite::deallocate_n;
using arenite::default_alignment;
using arenite::deferred_frees;
using arenite::describe;
using arenite::destroy;
using arenite::destruction_queue;
using arenite::difference;
using arenite::double_buffered_resource;
using arenite::double_ended_resource;
using arenite::dynamic_pointer_cast;
using arenite::fallback_resource;
using arenite::fit;
using arenite::frame_resource;
using arenite::free_list_options;
using arenite::free_list_resource;
using arenite::growing_linear_resource;
using arenite::growing_options;
using arenite::growing_vector;
using arenite::handle;
using arenite::handle_of;
using arenite::handover_options;
using arenite::handover_resource;
using arenite::heap_snapshot;
using arenite::huge_pages;
using arenite::inline_linear_resource;
using arenite::inline_list;
using arenite::inline_map;
using arenite::inline_set;
using arenite::inline_unordered_map;
using arenite::intrusive_options;
using arenite::intrusive_ptr;
using arenite::intrusive_resource;
using arenite::is_aligned;
using arenite::is_alignment;
using arenite::is_trivially_relocatable;
using arenite::is_trivially_relocatable_v;
using arenite::layout_of;
using arenite::leak;
using arenite::leak_collector;
using arenite::leak_handler;
using arenite::leak_summary;
using arenite::leaked_object;
using arenite::lent_memory;
using arenite::lifetime;
using arenite::limited_options;
using arenite::limited_resource;
using arenite::linear_options;
using arenite::linear_resource;
using arenite::make_intrusive;
using arenite::make_unique;
using arenite::malloc_resource;
using arenite::max_leak_examples;
using arenite::member_list;
using arenite::members_of;
using arenite::memory_limits;
using arenite::memory_map;
using arenite::memory_map_options;
using arenite::memory_slots;
using arenite::memory_slots_options;
using arenite::moves;
using arenite::natural_alignment;
using arenite::no_allocation_scope;
using arenite::object_pool;
using arenite::object_pool_options;
using arenite::object_rules;
using arenite::observed_resource;
using arenite::observer_ptr;
using arenite::offset_allocation;
using arenite::offset_allocator;
using arenite::offset_heap;
using arenite::offset_heap_options;
using arenite::offset_kind;
using arenite::offset_move;
using arenite::offset_moves;
using arenite::offset_options;
using arenite::offset_parts;
using arenite::offset_placement;
using arenite::offset_requirement;
using arenite::offset_source;
using arenite::operator==;
using arenite::ordered_heap;
using arenite::ordered_options;
using arenite::out_of_memory;
using arenite::padding_for;
using arenite::page_allocator;
using arenite::page_options;
using arenite::page_resource;
using arenite::page_source;
using arenite::page_use;
using arenite::passthrough;
using arenite::pinned;
using arenite::placement;
using arenite::pool_allocator;
using arenite::pool_options;
using arenite::pool_resource;
using arenite::pool_weak_ptr;
using arenite::record_reference;
using arenite::recording_resource;
using arenite::records;
using arenite::ref_counted;
using arenite::region;
using arenite::region_sink;
using arenite::region_state;
using arenite::region_totals;
using arenite::relocatable_ptr;
using arenite::report_leak;
using arenite::request_options;
using arenite::resource;
using arenite::resource_allocator;
using arenite::resource_base;
using arenite::restorable_heap;
using arenite::restorable_options;
using arenite::return_policy;
using arenite::row_return;
using arenite::rows_or_malloc;
using arenite::sampled_callbacks;
using arenite::sampled_resource;
using arenite::sampled_site;
using arenite::sampled_sites;
using arenite::sampling_interval;
using arenite::sampling_options;
using arenite::scaled_bytes;
using arenite::scope;
using arenite::scratch;
using arenite::scratch_bytes;
using arenite::scratches_of_a_thread;
using arenite::segregated_resource;
using arenite::set_contract_handler;
using arenite::set_leak_handler;
using arenite::shared_heap;
using arenite::shared_heap_options;
using arenite::sharing;
using arenite::site_sampler;
using arenite::sizes;
using arenite::slot;
using arenite::slot_key;
using arenite::slot_map;
using arenite::slot_order;
using arenite::slots_options;
using arenite::slots_resource;
using arenite::start_sampling;
using arenite::static_pointer_cast;
using arenite::stop_sampling;
using arenite::strategy;
using arenite::suballocator;
using arenite::suballocator_options;
using arenite::suballocator_resource;
using arenite::synchronized_resource;
using arenite::system_resource;
using arenite::take_usage_snapshot;
using arenite::this_size_does_not_fit_std_size_t;
using arenite::throw_bad_array_length;
using arenite::throw_out_of_memory;
using arenite::tlsf_load;
using arenite::tlsf_options;
using arenite::tlsf_resource;
using arenite::tracked_resource;
using arenite::try_create;
using arenite::type_layout;
using arenite::unique_ptr;
using arenite::upstream;
using arenite::usage;
using arenite::usage_difference;
using arenite::usage_node;
using arenite::usage_report_options;
using arenite::usage_snapshot;
using arenite::use_affinity_strategy;
}

export namespace arenite {
namespace affinities {
using arenite::affinities::data;
using arenite::affinities::nodes;
using arenite::affinities::objects;
using arenite::affinities::physics;
}
}

export namespace arenite {
namespace call_sites {
using arenite::call_sites::allocated;
using arenite::call_sites::count;
using arenite::call_sites::freed;
using arenite::call_sites::most;
using arenite::call_sites::write;
using arenite::call_sites::write_of_violation;
}
}

export namespace arenite {
namespace counting {
using arenite::counting::policy;
using arenite::counting::shared16;
using arenite::counting::shared32;
using arenite::counting::shared64;
using arenite::counting::single16;
using arenite::counting::single32;
using arenite::counting::single64;
}
}

export namespace arenite {
namespace layout {
using arenite::layout::aos;
using arenite::layout::aosoa;
using arenite::layout::column_alignment;
using arenite::layout::soa;
}
}

export namespace arenite {
inline namespace literals {
using arenite::literals::operator""_B;
using arenite::literals::operator""_GiB;
using arenite::literals::operator""_KiB;
using arenite::literals::operator""_MiB;
using arenite::literals::operator""_TiB;
}
}

export namespace arenite {
namespace pooled {
using arenite::pooled::deque;
using arenite::pooled::forward_list;
using arenite::pooled::list;
using arenite::pooled::map;
using arenite::pooled::multimap;
using arenite::pooled::multiset;
using arenite::pooled::set;
using arenite::pooled::unordered_map;
using arenite::pooled::unordered_multimap;
using arenite::pooled::unordered_multiset;
using arenite::pooled::unordered_set;
using arenite::pooled::vector;
}
}
