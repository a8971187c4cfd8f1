// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A queue of render commands between two threads: while one fills the commands of this frame, the
// other reads those of the frame before. No lock, no free, one swap a frame.
#include <arenite/core/create.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_buffered_resource.hpp>

#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <thread>

namespace {

constexpr int frame_count = 100;

struct command {
    command* next = nullptr;
    int mesh = 0;
    std::span<float> matrices; // as many as there are instances, in the same memory
};

command* record(int frame, arenite::linear_resource& memory) {
    command* first = nullptr;
    for (int mesh = frame % 7; mesh >= 0; --mesh) {
        auto* c = arenite::create<command>(memory);
        c->mesh = mesh;
        c->matrices = arenite::allocate_n<float>(memory, 16 * static_cast<std::size_t>(mesh + 1));
        for (float& x : c->matrices)
            x = static_cast<float>(frame);
        c->next = first;
        first = c;
    }
    return first;
}

// The sum of a frame, if nothing was overwritten.
double sum_of(int frame) {
    const int meshes = frame % 7 + 1;
    return 16.0 * frame * meshes * (meshes + 1) / 2;
}

} // namespace

int main() {
    using namespace arenite::literals;
    arenite::double_buffered_resource commands{1_MiB};
    command* submitted = nullptr; // of the frame before, in the inactive side
    bool all_good = true;

    std::barrier both_done{2};
    std::barrier swapped{2};
    std::thread renderer{[&] {
        for (int frame = 0; frame <= frame_count; ++frame) {
            double sum = 0;
            for (const command* c = submitted; c != nullptr; c = c->next)
                for (const float x : c->matrices)
                    sum += x;
            all_good = all_good && sum == (frame == 0 ? 0.0 : sum_of(frame - 1));
            both_done.arrive_and_wait();
            swapped.arrive_and_wait();
        }
    }};
    for (int frame = 0; frame <= frame_count; ++frame) {
        command* const recorded = record(frame, commands); // converts to the active side
        both_done.arrive_and_wait();
        submitted = recorded;
        commands.swap(); // what was recorded is inactive now, and the other side is empty
        swapped.arrive_and_wait();
    }
    renderer.join();

    std::printf("%d frames, at most %zu bytes of commands in one\n", frame_count,
                commands.inactive().high_water());
    return all_good ? 0 : 1;
}
