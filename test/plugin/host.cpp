// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace {

struct the_same_name {
    static constexpr std::string_view name = "of the plugin";
};
struct shared_by_name {
    static constexpr std::string_view name = "shared by name";
};

void expect(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

/// Also where functions are to be looked up at their first calls.
int refuse(const char* path) {
    for (const int when : {RTLD_LAZY, RTLD_NOW}) {
        expect(dlopen(path, when | RTLD_LOCAL) == nullptr, "the plugin is refused");
        const std::string why = dlerror();
        std::puts(why.c_str());
        expect(why.find(arenite::checks_enabled
                            ? "without_ARENITE_CHECKS_as_this_module_is"
                            : "with_ARENITE_CHECKS_as_this_module_is") != std::string::npos,
               "the message says why");
    }
    return 0;
}

} // namespace

int main(int, char** argv) {
    using namespace arenite;
    if (std::string_view{argv[1]} == "refuse")
        return refuse(argv[2]);
    affinity_heap& common = affinity_heap::of<shared_by_name>();
    std::vector<void*> small;
    std::vector<void*> shared;
    for (int round = 0; round < 2; ++round) { // the second time, the library is loaded anew
        void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            std::fprintf(stderr, "%s\n", dlerror());
        expect(library != nullptr, "the plugin is loaded");
        using make = void* (*)();
        const auto make_small = reinterpret_cast<make>(dlsym(library, "make_small"));
        const auto make_common = reinterpret_cast<make>(dlsym(library, "make_common"));
        const auto make_named =
            reinterpret_cast<void* (*)(const char*)>(dlsym(library, "make_named"));
        expect(make_named != nullptr, "the plugin has the third function");
        expect(make_small != nullptr && make_common != nullptr, "the plugin has both functions");
        std::thread{[&] { // which ends, too
            for (int i = 0; i < 1000; ++i)
                small.push_back(make_small());
        }}
            .join();
        // An affinity for as long as the plug-in is there: each round gives other options.
        affinity_heap& document =
            affinity_heap::named("a document", {.alignment = round == 0 ? 16U : 64U});
        void* made = nullptr;
        std::thread{[&] { made = make_named("a document"); }}.join();
        expect(affinity_heap::heap_of(made) == &document, "it is memory of the host's");
        for (int i = 0; i < 1000; ++i)
            shared.push_back(make_common());
        expect(dlclose(library) == 0, "the plugin is closed");
        document.deallocate(made, 48, 8);
        document.retire();
        expect(affinity_heap::find("a document") == nullptr, "its name is free");
        expect(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plugin has gone");
    }

    affinity_heap& h = affinity_heap::of<the_same_name>(); // known to the host by its name only
    expect(h.usage().bytes_in_use >= 2000 * 4 * sizeof(long long), "what it allocated is there");
    expect(common.usage().bytes_in_use >= 2000 * 5 * sizeof(long long), "in the host's own heap");
    std::ostringstream text;
    affinity_heap::report_all(text);
    expect(text.str().find("of the plugin") != std::string::npos, "its name is there");
    for (void* p : small)
        h.deallocate(p, 4 * sizeof(long long), 16);
    for (void* p : shared)
        common.deallocate(p, 5 * sizeof(long long), 8);
    expect(h.usage().bytes_in_use == 0, "all of it is freed");
    expect(common.usage().bytes_in_use == 0, "all of it is freed");
}
