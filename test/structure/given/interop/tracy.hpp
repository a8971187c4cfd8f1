// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/observed_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/usage_node.hpp>
// The header is empty without Tracy.hpp; test/interop/ compiles it with that.
namespace arenite {
struct tracy_pool {
    explicit tracy_pool(const char*) {}
    void on_allocate(const void*, std::size_t) noexcept {}
    void on_free(const void*, std::size_t) noexcept {}
};
template <class R>
using tracy_resource = observed_resource<R, tracy_pool>;
void tracy_plot(const usage_node& node);
} // namespace arenite
inline arenite::ordered_heap heap;
inline arenite::usage_node all{"all"};
