// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A drawing whose steps can be undone, and which is saved as it lies in memory: no code for each
// type, and the pointers in it stay what they are.
#include <arenite/core/create.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>

#include <cstdio>
#include <vector>

namespace {

struct stroke {
    float from[2], to[2];
    stroke* below;
};

struct drawing {
    stroke* top = nullptr;
    int strokes = 0;
};

void draw(arenite::restorable_heap& heap, float x) {
    drawing& d = *heap.root<drawing>();
    d.top = arenite::create<stroke>(heap, stroke{{x, 0}, {x, 1}, d.top});
    ++d.strokes;
}

} // namespace

int main() {
    using namespace arenite::literals;
    constexpr arenite::restorable_options options{.layout = 1}; // a new number when a type changes
    const char* const path = "drawing.heap";
    {
        arenite::restorable_heap heap{arenite::restorable_heap::usual_address, 16_MiB, options};
        if (heap.capacity() == 0) {
            std::printf("%s\n", heap.why_refused());
            return 77; // this machine uses that address
        }
        heap.set_root(arenite::create<drawing>(heap));
        std::vector<arenite::heap_snapshot> undo;
        for (int i = 0; i < 100; ++i) {
            undo.push_back(heap.take()); // copies the pages that the last stroke changed
            draw(heap, static_cast<float>(i));
        }
        if (!heap.restore(undo[90]) || heap.root<drawing>()->strokes != 90)
            return 1;
        if (!heap.take().write(path))
            return 1;
    }
    // The program starts again; it may be another process.
    arenite::restorable_heap heap{arenite::restorable_heap::usual_address, 16_MiB, options};
    const arenite::heap_snapshot saved = arenite::heap_snapshot::read(path);
    if (!saved || !heap.restore(saved)) {
        std::printf("%s\n", saved ? heap.why_refused() : saved.why());
        return 1;
    }
    int count = 0;
    for (const stroke* s = heap.root<drawing>()->top; s != nullptr; s = s->below)
        ++count;
    std::remove(path);
    return count == 90 ? 0 : 1;
}
