// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A library takes functions to allocate by, as many C libraries do: its memory gets an affinity of
// its own, is seen in the report, lies together, and goes back when the library is done with it.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string_view>

namespace {

// ---- somebody else's library -------------------------------------------------------------------

struct font_hooks {
    void* (*allocate)(std::size_t bytes);
    void* (*reallocate)(void* p, std::size_t bytes);
    void (*free)(void* p);
};

struct font {
    font_hooks hooks;
    unsigned* outline = nullptr;
    std::size_t points = 0;
};

font* open_font(const font_hooks& hooks, std::size_t points) {
    auto* const f = static_cast<font*>(hooks.allocate(sizeof(font)));
    *f = font{.hooks = hooks};
    for (std::size_t room = 0; f->points < points; ++f->points) {
        if (f->points == room) {
            room = room == 0 ? 16 : 2 * room;
            f->outline =
                static_cast<unsigned*>(hooks.reallocate(f->outline, room * sizeof(unsigned)));
        }
        f->outline[f->points] = static_cast<unsigned>(f->points);
    }
    return f;
}

void close_font(font* f) {
    const font_hooks hooks = f->hooks;
    hooks.free(f->outline);
    hooks.free(f);
}

// ---- what it takes to give it an affinity ------------------------------------------------------

struct of_fonts {
    static constexpr std::string_view name = "fonts";
};
using font_memory = arenite::malloc_like<of_fonts>;

constexpr font_hooks hooks{&font_memory::allocate, &font_memory::reallocate,
                           &font_memory::deallocate};

} // namespace

int main() {
    font* const small = open_font(hooks, 100);
    font* const large = open_font(hooks, 200'000);
    const bool right = large->outline[199'999] == 199'999;

    arenite::affinity_heap& fonts = font_memory::heap();
    std::printf("%zu bytes for fonts\n", fonts.usage().bytes_in_use);
    fonts.report(std::cout);

    close_font(large);
    close_font(small);
    std::printf("%zu bytes went back\n", fonts.trim().bytes_returned);
    return right && fonts.usage().bytes_in_use == 0 && fonts.usage().bytes_reserved == 0 ? 0 : 1;
}
