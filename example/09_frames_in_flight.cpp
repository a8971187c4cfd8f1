// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The memory of a frame in a loop, where a graphics processor is up to two frames behind: a frame's
// memory is used again when its fence was passed, and not before.
#include <arenite/core/literals.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

namespace {

template <class T>
using frame_vector = std::vector<T, arenite::resource_allocator<T, arenite::linear_resource>>;

// Stands for a queue of the graphics processor and its fence: it is slow, and reads late.
class processor {
public:
    void submit(std::span<const int> vertices, std::uint64_t fence_value) {
        waiting_.push_back({vertices, fence_value});
    }
    void wait(std::uint64_t fence_value) {
        while (completed_ < fence_value) {
            const work& w = waiting_.front();
            sum_ += std::accumulate(w.vertices.begin(), w.vertices.end(), std::int64_t{0});
            completed_ = w.fence_value;
            waiting_.pop_front();
        }
    }
    [[nodiscard]] std::uint64_t completed() const { return completed_; }
    [[nodiscard]] std::int64_t sum() const { return sum_; }

private:
    struct work {
        std::span<const int> vertices;
        std::uint64_t fence_value;
    };
    std::deque<work> waiting_;
    std::uint64_t completed_ = 0;
    std::int64_t sum_ = 0;
};

void build(int frame, arenite::linear_resource& memory, std::span<int> vertices) {
    const arenite::scope temporaries{memory}; // of this function alone
    frame_vector<int> weights(vertices.size(), 1, memory);
    for (std::size_t i = 0; i < vertices.size(); ++i)
        vertices[i] = frame * weights[i];
}

} // namespace

int main() {
    using namespace arenite::literals;
    constexpr int frame_count = 50;
    arenite::frame_resource<3> frames{256_KiB}; // each
    processor gpu;

    for (int frame = 1; frame <= frame_count; ++frame) {
        auto* const memory = static_cast<int*>(frames.allocate(1000 * sizeof(int), alignof(int)));
        const std::span<int> vertices{memory, 1000};
        build(frame, frames.current(), vertices);
        gpu.submit(vertices, frames.number());

        gpu.wait(frames.awaited()); // 0 for the first two: nothing to wait for
        frames.next(gpu.completed());
    }
    gpu.wait(frame_count);

    std::printf("%d frames in %zu bytes\n", frame_count, frames.usage().bytes_reserved);
    return gpu.sum() == std::int64_t{1000} * frame_count * (frame_count + 1) / 2 ? 0 : 1;
}
