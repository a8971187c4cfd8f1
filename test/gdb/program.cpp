// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/compacting_heap.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/ref_counted.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

// One of everything that gdb is to show; printers.py stops in stop_here().
namespace {

struct node : arenite::ref_counted<> {
    int number = 7;
};

struct moving {
    int number;
};

[[gnu::noinline]] void stop_here() { asm volatile(""); }

} // namespace

int main() {
    arenite::ordered_heap heap;
    void* objects[3];
    for (void*& p : objects)
        p = heap.allocate(48);
    heap.deallocate(objects[1], 48);
    arenite::detail::slab_block* slabs =
        arenite::detail::slab_geometry{256 * 1024}.block_of(objects[0]);

    // An ordered_heap begins, after its virtual table, with the heap that it stands for.
    auto* const core = reinterpret_cast<arenite::detail::slab_heap*>(
        reinterpret_cast<std::byte*>(&heap) + alignof(arenite::detail::slab_heap));

    arenite::pool_resource pool{arenite::slot{.bytes = 64, .alignment = 16}};
    void* slot = pool.allocate(64);

    arenite::linear_resource linear{4096};
    static_cast<void>(linear.allocate(100));

    auto counted = arenite::make_intrusive<node>();
    arenite::intrusive_ptr<node> nobody;
    auto owned = arenite::make_unique<int>(heap, 42);

    arenite::compacting_heap compacting;
    arenite::handle<moving> alive = compacting.make<moving>(moving{5});
    arenite::handle<moving> dead = compacting.make<moving>(moving{6});
    compacting.destroy(dead);

    stop_here();
    static_cast<void>(slabs);
    static_cast<void>(core);
    pool.deallocate(slot, 64);
    heap.deallocate(objects[0], 48);
    heap.deallocate(objects[2], 48);
    compacting.destroy(alive);
}
