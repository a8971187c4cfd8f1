// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Pools and plots of Tracy: against a header that writes down what Tracy gets (with TRACY_ENABLE
// and without), and, where Tracy is installed, with its client.
#include <tracy/Tracy.hpp>

#include <arenite/interop/tracy.hpp>

#include <arenite/ordered/ordered_heap.hpp>

#include "interop_test.hpp"

#include <string>

using namespace interop_test;

namespace {

#if defined(TRACY_ENABLE) && !defined(TRACY_IS_REAL)
void expect_events(const void* p, const void* q) {
    const auto& told = tracy_stub::events;
    EXPECT(told.size() == 6);
    if (told.size() != 6)
        return;
    EXPECT(told[0].what == 'a' && told[0].address == p && told[0].value == 100);
    EXPECT(told[1].what == 'a' && told[1].address == q && told[1].value == 1000);
    EXPECT(std::string{"scene"} == told[0].name && std::string{"sounds"} == told[1].name);
    EXPECT(told[2].what == 'p' && std::string{"game"} == told[2].name);
    EXPECT(told[3].what == 'p' && std::string{"game/heap"} == told[3].name);
    EXPECT(told[2].value == told[3].value && told[3].value >= 1100);
    EXPECT(told[4].what == 'f' && told[4].address == q && told[4].name == told[1].name);
    EXPECT(told[5].what == 'f' && told[5].address == p && told[5].name == told[0].name);
}
#endif

} // namespace

int main() {
    arenite::ordered_heap heap;
    arenite::usage_node all{"game"};
    const arenite::usage_node level{"heap", heap, &all};
    void* p = nullptr;
    void* q = nullptr;
    {
        std::string name = "scene"; // the name is copied
        arenite::tracy_resource<arenite::ordered_heap&> scene{arenite::tracy_pool{name}, heap};
        name = "other";
        arenite::tracy_resource<arenite::ordered_heap&> sounds{arenite::tracy_pool{"sounds"}, heap};
        p = scene.allocate(100);
        q = sounds.allocate(1000);
        arenite::tracy_plot(all);
        sounds.deallocate(q, 1000);
        scene.deallocate(p, 100);
        EXPECT(heap.usage().bytes_in_use == 0);
    }
#if !defined(TRACY_ENABLE)
    static_assert(arenite::ObserverThatIsOff<arenite::tracy_pool>);
    static_assert(sizeof(arenite::tracy_resource<arenite::ordered_heap&>) == 2 * sizeof(void*));
#elif !defined(TRACY_IS_REAL)
    expect_events(p, q);
    EXPECT(arenite::detail::tracy_name("scene") == arenite::detail::tracy_name("scene"));
#endif
    return result();
}
