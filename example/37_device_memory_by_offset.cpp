// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Device memory whose parts are known by offset and size alone, as vsg::DeviceMemory keeps them.
#include <arenite/core/literals.hpp>
#include <arenite/offset/memory_slots.hpp>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>

using namespace arenite::literals;

class device_memory {
public:
    explicit device_memory(std::size_t bytes) : slots_{bytes} {}

    std::optional<std::size_t> reserve(std::size_t bytes, std::size_t alignment) {
        const std::lock_guard lock{mutex_};
        return slots_.reserve(bytes, alignment);
    }
    void release(std::size_t offset, std::size_t bytes) {
        const std::lock_guard lock{mutex_};
        slots_.release(offset, bytes);
    }
    bool full() const { return slots_.full(); }
    std::size_t maximum_available_space() const { return slots_.maximum_available_space(); }

private:
    std::mutex mutex_;
    arenite::memory_slots slots_;
};

int main() {
    device_memory memory{64_MiB};
    const auto vertices = memory.reserve(3_MiB, 256);
    const auto indices = memory.reserve(1_MiB, 256);
    if (!vertices || !indices)
        return 1;
    memory.release(*vertices, 3_MiB);
    std::printf("indices at %zu; %zu bytes in one piece\n", *indices,
                memory.maximum_available_space());
    memory.release(*indices, 1_MiB);
    return memory.maximum_available_space() == 64_MiB ? 0 : 1;
}
