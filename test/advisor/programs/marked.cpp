// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/recording_resource.hpp>
#include <arenite/core/system_resource.hpp>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

// A program that marks its frames. Frame n, from 0, asks for 40000 + n bytes, so that a test finds
// it in the trace.
namespace {

constexpr std::size_t frames = 20;

void* volatile kept = nullptr;

[[gnu::noinline]] void draw(std::size_t frame) {
    kept = std::malloc(40000 + frame);
    std::free(kept);
}

/// A mark of a program that knows the function's name alone.
void mark_by_name() {
    using marker = void (*)();
    static const marker mark = [] {
        void* const symbol = ::dlsym(RTLD_DEFAULT, "arenite_mark_frame");
        marker found = nullptr;
        std::memcpy(&found, &symbol, sizeof found);
        return found;
    }();
    if (mark != nullptr)
        mark();
}

} // namespace

int main(int count, char** words) {
    const std::string how = count > 1 ? words[1] : "";
    if (how == "threads") {
        std::vector<std::thread> all;
        for (int t = 0; t < 4; ++t)
            all.emplace_back([] {
                for (std::size_t i = 0; i < frames; ++i)
                    ARENITE_FRAME();
            });
        for (std::thread& t : all)
            t.join();
        return 0;
    }
    if (how == "recorded") { // its own resource, too, into a file
        arenite::recording_resource<arenite::malloc_resource> memory{words[2]};
        for (std::size_t i = 0; i < frames; ++i) {
            memory.deallocate(memory.allocate(40000 + i, 16), 40000 + i, 16);
            ARENITE_FRAME();
        }
        return memory.is_complete() ? 0 : 1;
    }
    for (std::size_t i = 0; i < frames; ++i) {
        draw(i);
        if (how == "by_name")
            mark_by_name();
        else
            ARENITE_FRAME();
    }
    return 0;
}
