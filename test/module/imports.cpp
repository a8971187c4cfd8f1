// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program that imports the module, and has no header of ours: a heap, an affinity, frames, pooled
// containers, handles and counted objects, beside a file that includes the headers.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import arenite;

using namespace arenite::literals;

#define EXPECT(condition)                                                                          \
    ((condition)                                                                                   \
         ? void()                                                                                  \
         : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

struct of_nodes {
    static constexpr std::string_view name = "nodes";
};
static_assert(arenite::AffinityTag<of_nodes>);
static_assert(arenite::Sizing<arenite::ordered_heap>);

struct node : arenite::affine<of_nodes>, arenite::ref_counted<> {
    explicit node(int n) : number{n} {}
    int number;
};

std::size_t bytes_of_nodes(); // of the file that includes
std::size_t live_objects(const arenite::ordered_heap& heap);

int main() {
    const auto first = arenite::make_intrusive<node>(1);
    const auto same = first;
    EXPECT(same == first && same->number == 1);
    EXPECT(bytes_of_nodes() >= sizeof(node));

    arenite::ordered_heap heap{{.policy = arenite::return_policy::retain_all}};
    void* const p = heap.allocate(100);
    EXPECT(live_objects(heap) == 1);
    heap.deallocate(p, 100);

    arenite::frame_resource<2> frames{1_MiB};
    EXPECT(frames.allocate(3_KiB) != nullptr);

    arenite::pooled::map<int, std::string> names;
    names[3] = "three";
    arenite::pooled::list<int> numbers{1, 2, 3};
    EXPECT(names.size() == 1 && numbers.size() == 3);
    std::vector<int, arenite::resource_allocator<int>> vector{
        arenite::resource_allocator<int>{heap}};
    vector.assign(1000, 7);

    arenite::slot_map<int> slots;
    const auto key = slots.emplace(4);
    EXPECT(*slots.find(key) == 4);
    slots.erase(key);
    EXPECT(slots.find(key) == nullptr);
    return 0;
}
