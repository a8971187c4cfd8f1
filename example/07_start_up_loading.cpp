// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Loading: what is needed for a moment from one end, what stays from the other. When all is
// loaded, the memory between serves the program's own heap.
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <cstddef>
#include <cstdio>
#include <map>
#include <span>
#include <vector>

namespace {

template <class T>
using loaded_vector = std::vector<T, arenite::resource_allocator<T, arenite::linear_resource>>;

// Run lengths in a file become pixels in memory: the file is gone afterwards, the pixels stay.
std::span<std::byte> load_texture(int number, arenite::linear_resource& temporary,
                                  arenite::linear_resource& permanent) {
    const arenite::scope file_and_tables{temporary};
    loaded_vector<unsigned char> file{temporary};
    for (int i = 0; i < 2000; ++i)
        file.push_back(static_cast<unsigned char>((i * number) % 60 + 1));

    std::size_t pixels = 0;
    for (const unsigned char length : file)
        pixels += length;
    auto* const texture = static_cast<std::byte*>(permanent.allocate(pixels, 64));
    std::size_t at = 0;
    for (const unsigned char length : file)
        for (unsigned char i = 0; i < length; ++i)
            texture[at++] = std::byte{length};
    return {texture, pixels};
}

} // namespace

int main() {
    using namespace arenite::literals;
    arenite::double_ended_resource memory{16_MiB};

    std::size_t pixels = 0;
    for (int number = 1; number <= 20; ++number)
        pixels += load_texture(number, memory.low(), memory.high()).size();
    std::printf("%zu bytes of textures lie side by side, at most %zu more were in use\n", pixels,
                memory.low().high_water());

    // From now on objects come and go in any order, in what the start left over.
    arenite::ordered_heap heap{arenite::ordered_options{}, &memory.low()};
    using entry = std::pair<const int, int>;
    std::map<int, int, std::less<>, arenite::resource_allocator<entry, arenite::ordered_heap>>
        scene{heap};
    for (int i = 0; i < 1000; ++i)
        scene.emplace(i, i * i);
    for (int i = 0; i < 1000; i += 2)
        scene.erase(i);

    std::printf("%zu objects, %zu bytes still free between the ends\n", scene.size(),
                memory.remaining());
    return memory.low().owns(&*scene.begin()) && memory.high().in_use() >= pixels ? 0 : 1;
}
