// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An audio callback must not wait for memory. The voices that sound, what they wait for and the
// order in which they began are standard containers in everything but their memory, which is part
// of the mixer itself.
#include <arenite/stl/inline_list.hpp>
#include <arenite/stl/inline_map.hpp>
#include <arenite/stl/inline_set.hpp>
#include <arenite/stl/inline_unordered_map.hpp>

#include <cstdio>

namespace {

struct voice {
    float volume = 1;
    int frames_left = 0;
};

struct mixer {
    arenite::inline_map<int, voice, 64> voices;           // by sound, in order
    arenite::inline_unordered_map<int, int, 64> triggers; // a trigger's sound
    arenite::inline_list<int, 64> by_age;                 // the oldest first
    arenite::inline_set<int, 16> muted;

    void start(int sound, int frames) {
        if (voices.full()) { // the oldest one ends
            voices.erase(by_age.front());
            by_age.pop_front();
        }
        if (voices.try_emplace(sound, voice{.frames_left = frames}).second)
            by_age.push_back(sound);
    }

    /// The audio callback.
    float mix() {
        float sum = 0;
        for (auto it = voices.begin(); it != voices.end();) {
            sum += muted.contains(it->first) ? 0 : it->second.volume;
            if (--it->second.frames_left == 0) {
                by_age.remove(it->first);
                it = voices.erase(it);
            } else {
                ++it;
            }
        }
        return sum;
    }
};

} // namespace

int main() {
    static mixer m;
    m.triggers = {{1, 100}, {2, 200}};
    m.muted.insert(200);
    for (int sound = 0; sound < 1000; ++sound)
        m.start(m.triggers.contains(sound) ? m.triggers.at(sound) : 1000 + sound, 1 + sound % 7);
    float sum = 0;
    for (int frame = 0; frame < 10; ++frame)
        sum += m.mix();
    std::printf("%zu voices at most, %zu bytes, mixed to %.0f\n", m.voices.capacity(), sizeof m,
                static_cast<double>(sum));
    return m.voices.empty() && m.by_age.empty() && sum > 0 ? 0 : 1;
}
