// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>

namespace {

struct of_the_plugin {
    static constexpr std::string_view name = "of the plugin";
};
struct shared_by_name {
    static constexpr std::string_view name = "shared by name";
};

struct small : arenite::affine<of_the_plugin> {
    long long words[4];
};
struct common : arenite::affine<shared_by_name> {
    long long words[5];
};

} // namespace

extern "C" void* make_small() { return new small; }
extern "C" void* make_common() { return new common; }
