// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// private_host PLUGIN: a program with its own Arenite, whose symbols it exports, beside a plug-in
// that has a private one.
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace {

void expect(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

} // namespace

int main(int count, char** words) {
    expect(count > 1, "a plug-in is given");
    void* const library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr)
        std::fprintf(stderr, "%s\n", dlerror());
    expect(library != nullptr, "the plug-in is loaded");
    auto* const pages = reinterpret_cast<const void* (*)()>(dlsym(library, "pages_of_the_plugin"));
    auto* const use = reinterpret_cast<std::size_t (*)()>(dlsym(library, "use_of_the_plugin"));
    expect(pages != nullptr && use != nullptr, "it has its functions");

    arenite::ordered_heap own;
    void* const p = own.allocate(100);
    const std::size_t before = arenite::page_source().usage().bytes_in_use;
    expect(pages() != &arenite::page_source(), "each has pages of its own");
    expect(use() >= 100 * 1000, "the plug-in's heap works");
    expect(arenite::page_source().usage().bytes_in_use == before,
           "which this program has not lent");
    own.deallocate(p, 100);
    return 0;
}
