// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Built with AddressSanitizer: uses memory of one kind of resource after it was freed.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <cstdio>
#include <cstring>

using namespace arenite;

namespace {

constexpr std::size_t region_bytes = 65536;

template <class R>
int use_after_free(R& r) {
    auto* const p = static_cast<volatile int*>(r.allocate(48, 8));
    p[8] = 1;
    r.deallocate(const_cast<int*>(p), 48, 8);
    return p[8]; // behind the links that a TLSF keeps in free memory
}

template <class R, class... Args>
int use_after_free_in(Args... args) {
    R r{args...};
    return use_after_free(r);
}

struct kind {
    const char* name;
    int (*run)();
};

struct bodies {
    static constexpr std::string_view name = "bodies";
};

constexpr kind kinds[] = {
    {"ordered_heap", [] { return use_after_free_in<ordered_heap>(); }},
    {"a_resource",
     [] {
         ordered_heap h;
         return use_after_free<resource>(h);
     }},
    {"pool_resource",
     [] {
         return use_after_free_in<pool_resource>(slot{48, 8});
     }},
    {"suballocator_resource",
     [] {
         return use_after_free_in<suballocator_resource>(slot{48, 8});
     }},
    {"free_list_resource", [] { return use_after_free_in<free_list_resource>(region_bytes); }},
    {"tlsf_resource", [] { return use_after_free_in<tlsf_resource>(region_bytes); }},
    {"affinity_heap", [] { return use_after_free(affinity_heap::of<bodies>()); }},
    {"linear_resource",
     [] {
         linear_resource r{region_bytes};
         auto* const p = static_cast<volatile int*>(r.allocate(48, 8));
         r.reset();
         return *p;
     }},
};

} // namespace

int main(int argc, char** argv) {
    for (const kind& k : kinds) {
        if (argc == 2 && std::strcmp(argv[1], k.name) == 0)
            std::printf("%d: nobody noticed\n", k.run());
    }
}
