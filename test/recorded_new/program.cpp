// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

#include <arenite/compose/recording_resource.hpp>
#include <arenite/core/system_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

arenite::recording_resource<arenite::malloc_resource>* recorded = nullptr;

} // namespace

void* operator new(std::size_t bytes) {
    void* const p = recorded != nullptr ? recorded->try_allocate(bytes) : std::malloc(bytes);
    if (p == nullptr)
        std::abort();
    return p;
}
void operator delete(void* p) noexcept {
    if (recorded != nullptr)
        recorded->deallocate(p, 0);
    else
        std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

int main() {
    constexpr std::size_t objects = 10'000; // the recorder's table of them grows many times
    const std::string path = "arenite_recorded_new.ev"; // where it runs: one folder for each build
    std::vector<std::unique_ptr<int>> all;
    all.reserve(objects);
    std::size_t events = 0;
    {
        arenite::recording_resource<arenite::malloc_resource> heap{path.c_str()};
        recorded = &heap;
        for (std::size_t i = 0; i < objects; ++i)
            all.push_back(std::make_unique<int>(1));
        all.clear();
        recorded = nullptr;
        events = heap.events();
    }
    std::filesystem::remove(path);
    std::printf("%zu events of %zu objects\n", events, objects);
    return events == 2 * objects ? 0 : 1;
}
