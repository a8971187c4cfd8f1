// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A cache of loaded assets. Who uses one holds a handle: it leads to the asset wherever that lies,
// and to nothing once the cache has dropped it. A loader on another thread writes to a plain
// pointer, so the asset is pinned until it is done. What stays is moved together, a little each
// frame, and the memory of what was dropped goes back.

#include <arenite/core/literals.hpp>
#include <arenite/handle/compacting_heap.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <future>
#include <list>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace arenite::literals;

namespace {

struct asset {
    int name = 0;
    bool is_loading = true;
    std::array<unsigned char, 3000> bytes{};
};

unsigned char contents(int name) { return static_cast<unsigned char>(name * 7 + 1); }

/// A loader's thread: it knows nothing of the heap.
void read_file(asset* into) { into->bytes.fill(contents(into->name)); }

class asset_cache {
public:
    explicit asset_cache(std::size_t budget_bytes) : budget_{budget_bytes} {}

    /// Loaded, or about to be; what is asked for now is dropped last.
    arenite::handle<asset> find(int name) {
        const auto known = places_.find(name);
        if (known != places_.end()) {
            by_use_.splice(by_use_.end(), by_use_, known->second);
            return by_use_.back();
        }
        const arenite::handle<asset> made = heap_.make<asset>(name);
        places_.emplace(name, by_use_.insert(by_use_.end(), made));
        arenite::pinned<asset> stays = made.pin();
        asset* const there = stays.get();
        loads_.push_back({std::move(stays), std::async(std::launch::async, read_file, there)});
        return made;
    }

    void set_budget(std::size_t bytes) { budget_ = bytes; }

    /// Once a frame: loads that are done let go, what was not used for long is dropped, and a step
    /// of the heap's own work is done.
    void frame() {
        std::erase_if(loads_, [](const load& l) {
            const bool done = l.done.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
            l.stays->is_loading = !done;
            return done;
        });
        for (auto at = by_use_.begin();
             at != by_use_.end() && heap_.usage().bytes_in_use > budget_;) {
            if ((*at)->is_loading) { // what is pinned may not be destroyed
                ++at;
                continue;
            }
            places_.erase((*at)->name);
            heap_.destroy(*at);
            at = by_use_.erase(at);
        }
        static_cast<void>(heap_.step(arenite::budget{.bytes = 64_KiB}));
    }

    [[nodiscard]] bool is_loading() const { return !loads_.empty(); }
    [[nodiscard]] arenite::usage usage() const { return heap_.usage(); }

private:
    struct load {
        arenite::pinned<asset> stays; ///< where the loader writes
        std::future<void> done;       ///< ends before, and waits for it
    };
    using uses = std::list<arenite::handle<asset>>;

    arenite::compacting_heap heap_; ///< outlives the pins
    std::size_t budget_;
    uses by_use_; ///< the one that was not used for longest first
    std::unordered_map<int, uses::iterator> places_;
    std::vector<load> loads_;
};

} // namespace

int main() {
    asset_cache cache{12_MiB};
    std::mt19937 random{1};
    std::vector<arenite::handle<asset>> in_the_scene;
    for (int name = 0; name < 3000;) { // a level, loaded while frames go on
        for (int i = 0; i < 30; ++i)
            in_the_scene.push_back(cache.find(name++));
        cache.frame();
    }
    while (cache.is_loading())
        cache.frame();
    const arenite::usage full = cache.usage();

    for (int i = 0; i < 1000; ++i) // a third is used again, and so the last to go
        static_cast<void>(cache.find(static_cast<int>(random() % 3000)));
    cache.set_budget(3_MiB);
    for (int frames = 0; frames < 200; ++frames) {
        if (frames % 10 == 0)
            static_cast<void>(cache.find(3000 + frames)); // loads go on
        cache.frame();
    }
    while (cache.is_loading())
        cache.frame();

    int alive = 0;
    int gone = 0;
    bool right = true;
    for (const arenite::handle<asset>& h : in_the_scene) {
        if (const asset* const a = h.get()) {
            ++alive;
            for (const unsigned char b : a->bytes)
                right = right && b == contents(a->name);
        } else {
            ++gone; // cache.find(name) would load it again
        }
    }
    const arenite::usage now = cache.usage();
    std::printf("%zu KiB held for %zu KiB of assets; then %zu KiB for %zu KiB: %d of them live, "
                "%d handles lead to nothing\n",
                full.bytes_reserved / 1024, full.bytes_in_use / 1024, now.bytes_reserved / 1024,
                now.bytes_in_use / 1024, alive, gone);
    return right && alive > 0 && gone > 0 && now.bytes_reserved < full.bytes_reserved / 2 ? 0 : 1;
}
