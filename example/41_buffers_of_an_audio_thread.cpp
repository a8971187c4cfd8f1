// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A thread that must never wait makes buffers; another one writes them to a file and frees them.
#include <arenite/core/literals.hpp>
#include <arenite/freelist/handover_resource.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <thread>

namespace {

struct buffer {
    static constexpr std::size_t samples = 256;
    float sample[samples];
};

/// The latest buffer that is full; a real program has a queue.
std::atomic<buffer*> full{nullptr};
std::atomic<bool> playing{true};
float written = 0;

void write_buffers(arenite::handover_resource& memory) {
    for (bool last = false; !last;) {
        last = !playing.load();
        if (buffer* const b = full.exchange(nullptr)) {
            written += b->sample[0];
            memory.deallocate(b, sizeof(buffer), alignof(buffer)); // handed over, without a lock
        } else {
            std::this_thread::yield();
        }
    }
}

/// Called by the system every few milliseconds.
void audio_callback(arenite::handover_resource& memory, int number) {
    void* const p = memory.try_allocate(sizeof(buffer), alignof(buffer)); // no call loops or waits
    if (p == nullptr)
        return;
    buffer* const b = ::new (p) buffer{};
    b->sample[0] = static_cast<float>(number);
    if (buffer* const missed = full.exchange(b))
        memory.deallocate(missed, sizeof(buffer), alignof(buffer));
}

} // namespace

int main() {
    using namespace arenite::literals;
    arenite::handover_resource memory{1_MiB,
                                      arenite::handover_options{.region = {.prefault = true}}};
    std::thread writer{write_buffers, std::ref(memory)};
    for (int number = 1; number <= 2000; ++number)
        audio_callback(memory, number);
    playing = false;
    writer.join();
    memory.collect(2000);
    return written > 0 && memory.usage().live_allocations == 0 ? 0 : 1;
}
