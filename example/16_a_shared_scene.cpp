// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A scene shares what repeats, a selection looks at it without keeping it, and a track of a million
// parts ends without running the stack over.

#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/observer_ptr.hpp>
#include <arenite/object/try_create.hpp>

#include <cstdio>
#include <utility>
#include <vector>

namespace {

struct node : arenite::ref_counted<> { // 4 bytes of count, beside the virtual-table pointer
    virtual ~node() = default;
};

struct wheel : node {};

struct car : node {
    std::vector<arenite::intrusive_ptr<node>> parts;
};

struct piece_of_track : node {
    arenite::intrusive_ptr<node> next;
};

} // namespace

int main() {
    auto rubber = arenite::make_intrusive<wheel>();
    auto first = arenite::make_intrusive<car>();
    auto second = arenite::make_intrusive<car>();
    for (int i = 0; i < 4; ++i) {
        first->parts.push_back(rubber);
        second->parts.push_back(rubber);
    }
    std::printf("%zu references to one wheel\n", rubber->use_count());

    arenite::observer_ptr<car> selected{second};
    if (arenite::intrusive_ptr<car> now = selected.lock())
        std::printf("a car of %zu parts is selected\n", now->parts.size());
    second.reset();
    std::printf("the selected car is %s\n", selected.expired() ? "gone" : "there");

    arenite::intrusive_ptr<node> track;
    for (int i = 0; i < 1'000'000; ++i) {
        // Where memory may be refused: refers to nothing then, and nothing is thrown.
        arenite::intrusive_ptr<piece_of_track> piece{arenite::try_create<piece_of_track>()};
        if (!piece)
            break;
        piece->next = std::move(track);
        track = std::move(piece);
    }
    track.reset(); // one after the other, not one within the other

    return rubber->use_count() == 5 && selected.expired() ? 0 : 1;
}
