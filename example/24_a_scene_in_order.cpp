// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A scene that was edited for long, so that its nodes lie anywhere. Each frame has 500 us for
// putting them in the order in which the frustum walk visits them; parts come and go meanwhile.

#include <arenite/handle/compacting_heap.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

namespace {

struct node {
    arenite::handle<node> child, sibling;
    float bounds[4] = {};
    int value = 1;
};

// Depth first, as the walk goes. It holds handles from one visit to the next, since objects
// move in between. The one it returns leads to a node and is refreshed when that has moved.
class depth_first {
public:
    explicit depth_first(arenite::handle<node>& root) : next_{&root} {}

    arenite::handle<node>* operator()() {
        arenite::handle<node>* const found =
            next_ != nullptr ? std::exchange(next_, nullptr) : follow();
        if (found != nullptr)
            path_.push_back(*found);
        return found;
    }

private:
    arenite::handle<node>* follow() {
        if (!path_.empty())
            if (node* const at = path_.back().get(); at != nullptr && at->child)
                return &at->child;
        while (!path_.empty()) {
            node* const at = path_.back().get(); // nothing, if it was destroyed between two frames
            path_.pop_back();
            if (at != nullptr && at->sibling)
                return &at->sibling;
        }
        return nullptr;
    }

    arenite::handle<node>* next_;
    std::vector<arenite::handle<node>> path_;
};

int walk(const node* from) {
    int sum = 0;
    for (; from != nullptr; from = from->sibling.get())
        sum += from->value + walk(from->child.get());
    return sum;
}

double walk_ns(const node* root, int& sum) {
    const auto begin = std::chrono::steady_clock::now();
    sum = walk(root);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return taken.count() / sum;
}

} // namespace

int main() {
    arenite::compacting_heap heap{{.room = 1.5}};
    std::mt19937 random{1};
    arenite::handle<node> root = heap.make<node>();
    std::vector<arenite::handle<node>> nodes{root};
    while (nodes.size() < 200'000) { // each comes to stand below any other
        const arenite::handle<node> made = heap.make<node>();
        node& parent = *nodes[random() % nodes.size()];
        made->sibling = std::exchange(parent.child, made);
        nodes.push_back(made);
    }
    int before_sum = 0;
    const double before = walk_ns(root.get(), before_sum);

    depth_first visit{root};
    int frames = 1;
    while (!heap.step(visit, arenite::budget{.nanoseconds = 500'000}).finished()) {
        const arenite::handle<node> made = heap.make<node>(); // and the frame's own work
        node& parent = *nodes[random() % nodes.size()];
        made->sibling = std::exchange(parent.child, made);
        ++frames;
    }

    int after_sum = 0;
    const double after = walk_ns(root.get(), after_sum);
    std::printf("%d nodes, %.1f ns a node to walk; after %d frames %.1f ns\n", after_sum, before,
                frames, after);
    return after_sum == before_sum + frames - 1 ? 0 : 1;
}
