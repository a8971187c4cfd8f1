// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An index of words that is built once and changed often: its containers have pools of their own.
// One word changes in each type, and nothing in the code that uses them.
#include <arenite/stl/containers.hpp>

#include <cstdio>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace pooled = arenite::pooled; // was: namespace std

int main() {
    pooled::map<std::string, pooled::list<int>> index; // from a word to its lines
    for (int line = 0; line < 10'000; ++line)
        index["word " + std::to_string(line % 1000)].push_back(line);

    // How many there will be is known: one request for the memory of all of them.
    std::set<int, std::less<>, arenite::pool_allocator<int, 16 * 1024>> lines;
    for (int line = 0; line < 16 * 1024; ++line)
        lines.insert(lines.end(), line);

    // Nodes go from container to container as ever, whoever made them.
    pooled::list<int> found;
    found.splice(found.end(), index.at("word 7"));
    found.splice(found.end(), index.at("word 8"));
    found.sort();
    pooled::set<int> odd;
    pooled::set<int> all(found.begin(), found.end());
    for (auto i = all.begin(); i != all.end();) {
        const auto here = i++;
        if (*here % 2 != 0)
            odd.insert(all.extract(here));
    }
    index.clear(); // gives the memory of its nodes back; those found stay

    std::printf("%zu lines found, %zu odd, the last is %d\n", found.size(), odd.size(),
                found.back());
    return found.size() == 20 && odd.size() == 10 && lines.size() == 16 * 1024 ? 0 : 1;
}
