// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// SDL with its memory in an affinity. The functions are those of malloc_like, tested there.
#include <arenite/interop/sdl.hpp>

#include "interop_test.hpp"

#define SDL_MAIN_HANDLED
#include <SDL.h>

using namespace interop_test;
using memory = arenite::sdl_memory<>;

int main() {
    EXPECT(SDL_GetNumAllocations() == 0);
    EXPECT(SDL_SetMemoryFunctions(&memory::allocate, &memory::allocate_zeroed, &memory::reallocate,
                                  &memory::deallocate) == 0);
    SDL_SetMainReady();
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
    EXPECT(SDL_Init(SDL_INIT_VIDEO | SDL_INIT_TIMER) == 0);
    SDL_Surface* const picture =
        SDL_CreateRGBSurfaceWithFormat(0, 512, 512, 32, SDL_PIXELFORMAT_RGBA32);
    EXPECT(picture != nullptr);
    EXPECT(in_use<arenite::affinities::sdl>() >= 512 * 512 * 4);
    EXPECT(is_reported("SDL"));
    SDL_FreeSurface(picture);
    void* p = SDL_calloc(0, 0);
    EXPECT(p != nullptr);
    p = SDL_realloc(p, 1000);
    EXPECT(arenite::affinity_heap::heap_of(p) == &memory::heap());
    EXPECT(SDL_realloc(p, SIZE_MAX) == nullptr);
    SDL_free(p);
    EXPECT(SDL_malloc(SIZE_MAX) == nullptr);
    SDL_Quit();
    return result();
}
