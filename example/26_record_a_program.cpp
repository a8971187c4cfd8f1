// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which allocator is best for this program? Record once what it asks for, and let the lab replay
// that with each of them: arenite-lab run trace/replay --set file=words.ev

#include <arenite/compose/recording_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory_resource>
#include <random>
#include <string>

int main() {
    const std::string name = "words_" + std::to_string(std::random_device{}()) + ".ev";
    const std::string file = (std::filesystem::temp_directory_path() / name).string();
    std::size_t events = 0;
    {
        arenite::recording_resource<arenite::ordered_heap> heap{file.c_str()};
        std::pmr::map<std::pmr::string, int> counts{&heap};
        for (int i = 0; i < 1000; ++i)
            ++counts[std::pmr::string{"a word of some length, number " + std::to_string(i % 300)}];
        ARENITE_FRAME(); // a mark on the timeline, in all recordings
        counts.clear();
        events = heap.events();
        if (!heap.is_complete())
            return 1;
    } // written to the end here
    std::printf("%zu allocations and frees in %s\n", events, file.c_str());
    const bool all = std::filesystem::file_size(file) == 64 + 16 * events && events >= 1200;
    std::filesystem::remove(file);
    return all ? 0 : 1;
}
