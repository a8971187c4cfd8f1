// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Temporaries: bump a pointer, free nothing, start again with the next frame.
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <cstdio>
#include <vector>

template <class T>
using frame_vector = std::vector<T, arenite::resource_allocator<T, arenite::linear_resource>>;

int main() {
    using namespace arenite::literals;
    arenite::linear_resource frame{1_MiB}; // asks its upstream once, at the first allocation

    for (int i = 0; i < 3; ++i) {
        arenite::scope whole_frame{frame};
        frame_vector<int> visible{frame};
        visible.reserve(1000);
        for (int object = 0; object < 1000; ++object)
            visible.push_back(object);
        {
            arenite::scope one_object{frame};
            frame_vector<float> weights(64, frame);
        } // the weights are gone, the visible objects are not
        std::printf("frame %d: %zu bytes in use\n", i, frame.in_use());
    }
    std::printf("at most %zu of %zu bytes\n", frame.high_water(), frame.capacity());
    return frame.in_use() == 0 ? 0 : 1;
}
