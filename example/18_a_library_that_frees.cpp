// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A library written in C takes two hooks, one to allocate and one to free; the second gets no
// size. Each of the two strategies after VulkanSceneGraph's serves it, and shows what it costs.

#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

// The hooks, as the library sees them.
struct hooks {
    void* (*allocate)(void* user, std::size_t bytes);
    void (*free)(void* user, void* p);
    void* user;
};

template <class R>
hooks hooks_of(R& r) {
    return {[](void* user, std::size_t bytes) -> void* {
                return static_cast<R*>(user)->try_allocate(bytes);
            },
            [](void* user, void* p) { static_cast<R*>(user)->deallocate(p); }, &r};
}

// Its work: names of many lengths, of which every third goes again.
std::vector<void*> use(const hooks& h) {
    std::vector<void*> kept;
    for (std::size_t i = 0; i < 30'000; ++i) {
        const std::size_t length = 8 + i * i % 90;
        void* const name = h.allocate(h.user, length);
        if (name == nullptr)
            break;
        std::memset(name, 'a', length);
        if (i % 3 == 0)
            h.free(h.user, name);
        else
            kept.push_back(name);
    }
    return kept;
}

template <class R>
bool run(const char* name) {
    R r{};
    const hooks h = hooks_of(r);
    const std::vector<void*> kept = use(h);
    const arenite::usage u = r.usage();
    std::printf("%s: %zu names, %zu bytes of them, %zu held; the first has room for %zu\n", name,
                u.live_allocations, u.bytes_in_use, u.bytes_reserved, r.size_of(kept.front()));
    const bool right = u.live_allocations == 20'000;
    for (void* p : kept)
        h.free(h.user, p);
    r.trim(); // and all of it goes back
    return right && kept.size() == 20'000 && r.usage().bytes_reserved == 0;
}

int main() {
    const bool intrusive = run<arenite::intrusive_resource>("intrusive");
    const bool slots = run<arenite::slots_resource>("slots");
    return intrusive && slots ? 0 : 1;
}
