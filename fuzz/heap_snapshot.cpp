// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Files of snapshots: anything, and a good file of which some bytes are others. One that is read
// says so only if it is whole; a heap takes it, or is as it was.
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static arenite::restorable_heap heap{nullptr, 64 << 10};
    static const std::vector<char> good = good_file(heap);
    if (arenite::heap_snapshot::read(std::as_bytes(std::span{data, size})))
        std::abort(); // a file with a right check sum, found by chance
    std::vector<char> changed = good;
    bool same = true;
    for (std::size_t i = 0; i + 3 < size; i += 4) { // where, and by what
        const std::size_t at = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
        changed[at % changed.size()] ^= static_cast<char>(data[i + 3]);
    }
    if (size % 4 == 3)
        changed.resize(changed.size() - changed.size() * data[size - 1] / 256);
    same = changed == good;
    const arenite::heap_snapshot s =
        arenite::heap_snapshot::read(std::as_bytes(std::span{changed}));
    if (static_cast<bool>(s) != same || (same && !heap.restore(s)))
        std::abort();
    if (!s && *s.why() == '\0')
        std::abort();
    return std::memcmp(heap.root<char>(), inside, sizeof inside) == 0 ? 0 : (std::abort(), 1);
}
