// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>

#include <cstddef>

namespace {

struct of_the_plugin {
    static constexpr std::string_view name = "of the plugin";
};
struct shared_by_name {
    static constexpr std::string_view name = "shared by name";
};
struct of_the_loading {
    static constexpr std::string_view name = "of the loading";
};

struct small : arenite::affine<of_the_plugin> {
    long long words[4];
};
struct common : arenite::affine<shared_by_name> {
    long long words[5];
};
struct fixture : arenite::affine<of_the_loading> {
    long long words[3];
};

/// Allocates while the plug-in is loaded, and frees while it is closed.
const struct loading {
    loading() : made{new fixture} {}
    ~loading() { delete made; }
    fixture* made;
} while_it_is_here;

} // namespace

#if defined(_WIN32)
#define FOR_THE_HOST extern "C" __declspec(dllexport)
#else
#define FOR_THE_HOST extern "C" [[gnu::visibility("default")]]
#endif

#ifndef ARENITE_TEST_PLUGIN
#define ARENITE_TEST_PLUGIN 0
#endif
FOR_THE_HOST int which_plugin() { return ARENITE_TEST_PLUGIN; }
FOR_THE_HOST void* make_named(const char* name) {
    return arenite::affinity_heap::named(name).allocate(48, 8);
}
FOR_THE_HOST void* make_small() { return new small; }
FOR_THE_HOST void* make_common() { return new common; }
FOR_THE_HOST void end_common(void* p) { delete static_cast<common*>(p); }
FOR_THE_HOST std::size_t common_in_use() { return common::heap().usage().bytes_in_use; }
