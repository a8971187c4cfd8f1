// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// All that a program and a plug-in that it loads allocate of one affinity lies in one heap, theirs
// and arenite.dll's; each frees what the other allocated, on any thread.
#include <windows.h>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/error.hpp>
#include <arenite/stl/containers.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

using arenite::affinity_heap;

namespace {

struct shared_by_name {
    static constexpr std::string_view name = "shared by name";
};

constexpr std::size_t bytes = 40; // of the plug-in's objects

void expect(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

template <class F>
F function_of(HMODULE library, const char* name) {
    const FARPROC f = GetProcAddress(library, name);
    expect(f != nullptr, name);
    return reinterpret_cast<F>(reinterpret_cast<void*>(f));
}

} // namespace

int main(int, char** argv) {
    const HMODULE library = LoadLibraryA(argv[1]);
    expect(library != nullptr, "the plug-in is loaded");
    const auto make = function_of<void* (*)()>(library, "make_common");
    const auto end = function_of<void (*)(void*)>(library, "end_common");
    const auto in_use = function_of<std::size_t (*)()>(library, "common_in_use");
    affinity_heap& heap = affinity_heap::of<shared_by_name>();
    const auto work = [&] {
        std::vector<void*> all;
        for (int i = 0; i < 50'000; ++i)
            all.push_back(i % 2 == 0 ? make() : heap.allocate(bytes));
        for (const void* p : all)
            expect(affinity_heap::heap_of(p) == &heap, "one heap for both");
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 3 == 0)
                heap.deallocate(all[i], bytes);
            else
                end(all[i]);
        }
        arenite::pooled::list<int> list;
        for (int i = 0; i < 1000; ++i)
            list.push_back(i);
        expect(list.size() == 1000, "pooled containers work");
    };
    for (int round = 0; round < 3; ++round) {
        std::thread first{work};
        std::thread second{work};
        work();
        first.join();
        second.join();
        expect(in_use() == 0, "nothing is left");
    }
    void* const p = make();
    void* const q = heap.allocate(bytes);
    expect(heap.usage().live_allocations == 2 && in_use() == heap.usage().bytes_in_use,
           "both see both");
    end(q);
    heap.deallocate(p, bytes);
    bool caught = false;
    try {
        static_cast<void>(heap.allocate(std::size_t{1} << 62));
    } catch (const arenite::out_of_memory&) {
        caught = true;
    }
    expect(caught, "an exception of the library's reaches the program");
    FreeLibrary(library);
    std::puts("one heap for both"); // the exit code alone says little under wine
    return 0;
}
