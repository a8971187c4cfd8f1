// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Files of snapshots: anything, and a good file of which some bytes are others. One that is read
// says so only if it is whole; a heap takes it, or is as it was.
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>

#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

constexpr char inside[] = "it is as it was";

/// A file as the library writes it, of a heap with one object.
std::vector<char> good_file(arenite::restorable_heap& heap) {
    void* const p = heap.try_allocate(sizeof inside);
    if (p == nullptr)
        std::abort();
    std::memcpy(p, inside, sizeof inside);
    heap.set_root(p);
    const std::string path = "/tmp/arenite_fuzz_heap_snapshot_" + std::to_string(::getpid());
    if (!heap.take().write(path.c_str()))
        std::abort();
    std::ifstream in{path, std::ios::binary};
    std::vector<char> file{std::istreambuf_iterator<char>{in}, {}};
    std::remove(path.c_str());
    return file;
}

} // namespace

std::string run(support::byte_source& source) {
    static arenite::restorable_heap heap{nullptr, 64 << 10};
    static const std::vector<char> good = good_file(heap);
    const std::span<const std::uint8_t> data = source.rest();
    if (arenite::heap_snapshot::read(std::as_bytes(data)))
        return "a file with a right check sum, found by chance";
    std::vector<char> changed = good;
    for (std::size_t i = 0; i + 3 < data.size(); i += 4) { // where, and by how much
        const std::size_t at = data[i] | data[i + 1] * 256u | data[i + 2] * 65'536u;
        changed[at % changed.size()] ^= static_cast<char>(data[i + 3]);
    }
    if (data.size() % 4 == 3)
        changed.resize(changed.size() - changed.size() * data.back() / 256);
    const bool same = changed == good;
    const arenite::heap_snapshot s =
        arenite::heap_snapshot::read(std::as_bytes(std::span{changed}));
    if (static_cast<bool>(s) != same || (same && !heap.restore(s)))
        return "a good file is refused, or another is not";
    if (!s && *s.why() == '\0')
        return "a refusal without a sentence";
    return std::memcmp(heap.root<char>(), inside, sizeof inside) == 0 ? ""
                                                                      : "the heap is not as it was";
}
