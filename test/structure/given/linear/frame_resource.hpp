// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct queue_of_the_device {
} queue;
struct fence_of_the_device {
} fence;
void draw(arenite::linear_resource& memory);
void signal(queue_of_the_device&, fence_of_the_device&, std::uint64_t number);
void wait(fence_of_the_device&, std::uint64_t number);
std::uint64_t completed_value(fence_of_the_device&);
