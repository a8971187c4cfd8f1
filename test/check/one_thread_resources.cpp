// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Each kind of resource that is for one thread at a time finds two inside of it, in checked builds,
// and says which kind it is. One thread is inside while it waits for the upstream, the source or a
// destructor; where nothing is called from within, two threads go in and out until they meet.
#include <arenite/check/detail/one_thread.hpp>

#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/pinned.hpp>
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scratch.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/offset/memory_slots.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"

#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;
using namespace arenite::literals;

namespace {

/// Where one thread waits inside a call until another one has tried to come in.
class gate {
public:
    void wait() noexcept {
        reached_ = true;
        while (!open_)
            std::this_thread::yield();
    }

    /// `inside` waits at this gate, and `other` comes meanwhile.
    template <class F, class G>
    void meet(F inside, G other) {
        std::thread first{inside};
        while (!reached_)
            std::this_thread::yield();
        std::thread second{other}; // waits as well, where nobody finds out
        // Where it is found the process ends at once: so long only where it is not.
        std::this_thread::sleep_for(std::chrono::seconds{20});
        open_ = true;
        first.join();
        second.join();
    }

private:
    std::atomic<bool> reached_{false};
    std::atomic<bool> open_{false};
};

/// Lends memory once the gate is open.
class waiting_resource final : public resource_base<waiting_resource> {
public:
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        at.wait();
        return system_resource().try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        system_resource().deallocate(p, bytes, alignment);
    }

    gate at;
};

/// Two threads go in and out until they meet; without an end where that is not found.
template <class F>
void meet_by_chance(F call) {
    std::atomic<bool> there{false};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    const auto repeat = [&] {
        while (std::chrono::steady_clock::now() < end)
            for (int i = 0; i < 1000; ++i)
                call();
    };
    std::thread other{[&] {
        there = true;
        repeat();
    }};
    while (!there)
        std::this_thread::yield();
    repeat();
    other.join();
}

/// One allocates in a resource on a waiting upstream, and meanwhile the other calls.
template <class R, class G, class... Args>
void use_by_two_threads(G other, Args... args) {
    waiting_resource slow;
    R shared{args..., slow};
    slow.at.meet([&] { static_cast<void>(shared.try_allocate(48, 8)); }, [&] { other(shared); });
}

constexpr auto allocates = [](auto& r) { static_cast<void>(r.try_allocate(48, 8)); };
constexpr auto frees = [](auto& r) { r.deallocate(&r, 48, 8); };
constexpr auto resizes = [](auto& r) { static_cast<void>(r.try_resize(&r, 48, 64, 8)); };
constexpr auto trims = [](auto& r) { r.trim(); };
constexpr auto resets = [](auto& r) { r.reset(); };

class one_thread_resources_death : public testing::Test {
protected:
    void SetUp() override {
        if (!checks_enabled)
            GTEST_SKIP() << "only checked builds find this";
        if (support::emulated())
            GTEST_SKIP() << "a fresh process would run without the emulator";
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

// The first message says so, and which kind it is.
#define FINDS_TWO(statement, kind)                                                                 \
    EXPECT_DEATH(statement, "violated: " kind " [^ ]+ is used by two threads")

TEST_F(one_thread_resources_death, of_an_ordered_heap) {
    FINDS_TWO(use_by_two_threads<ordered_heap>(allocates), "ordered_heap");
    FINDS_TWO(use_by_two_threads<ordered_heap>(resizes), "ordered_heap");
    FINDS_TWO(use_by_two_threads<ordered_heap>(trims), "ordered_heap");
}

TEST_F(one_thread_resources_death, of_a_pool) {
    constexpr auto allocates_much = [](pool_resource& r) {
        static_cast<void>(r.try_allocate(1000, 8));
    };
    constexpr auto frees_much = [](pool_resource& r) { r.deallocate(&r, 1000, 8); };
    const slot s{48, 8};
    FINDS_TWO(use_by_two_threads<pool_resource>(allocates, s), "pool_resource");
    FINDS_TWO(use_by_two_threads<pool_resource>(allocates_much, s), "pool_resource");
    FINDS_TWO(use_by_two_threads<pool_resource>(frees_much, s), "pool_resource");
    FINDS_TWO(use_by_two_threads<pool_resource>(trims, s), "pool_resource");
}

TEST_F(one_thread_resources_death, of_a_tlsf_resource) {
    const std::size_t bytes = 64_KiB;
    FINDS_TWO(use_by_two_threads<tlsf_resource>(allocates, bytes), "tlsf_resource");
    FINDS_TWO(use_by_two_threads<tlsf_resource>(frees, bytes), "tlsf_resource");
    FINDS_TWO(use_by_two_threads<tlsf_resource>(resizes, bytes), "tlsf_resource");
    FINDS_TWO(use_by_two_threads<tlsf_resource>(trims, bytes), "tlsf_resource");
}

TEST_F(one_thread_resources_death, of_a_free_list_resource) {
    const std::size_t bytes = 64_KiB;
    FINDS_TWO(use_by_two_threads<free_list_resource>(allocates, bytes), "free_list_resource");
    FINDS_TWO(use_by_two_threads<free_list_resource>(frees, bytes), "free_list_resource");
    FINDS_TWO(use_by_two_threads<free_list_resource>(resizes, bytes), "free_list_resource");
    FINDS_TWO(use_by_two_threads<free_list_resource>(trims, bytes), "free_list_resource");
}

TEST_F(one_thread_resources_death, of_a_restorable_heap) {
    constexpr auto use = [](auto call) {
        restorable_heap shared{nullptr, 1_MiB};
        meet_by_chance([&] { call(shared); });
    };
    FINDS_TWO(use([](restorable_heap& h) {
                  if (void* const p = h.try_allocate(100'000))
                      h.deallocate(p, 100'000);
              }),
              "restorable_heap");
    FINDS_TWO(use([](restorable_heap& h) { static_cast<void>(h.take()); }), "restorable_heap");
    FINDS_TWO(use([](restorable_heap& h) { h.set_root(nullptr); }), "restorable_heap");
}

TEST_F(one_thread_resources_death, of_a_linear_resource) {
    const std::size_t bytes = 64_KiB;
    FINDS_TWO(use_by_two_threads<linear_resource>(allocates, bytes), "linear_resource");
    FINDS_TWO(use_by_two_threads<linear_resource>(frees, bytes), "linear_resource");
    FINDS_TWO(use_by_two_threads<linear_resource>(resizes, bytes), "linear_resource");
    FINDS_TWO(use_by_two_threads<linear_resource>(resets, bytes), "linear_resource");
    FINDS_TWO(use_by_two_threads<linear_resource>(trims, bytes), "linear_resource");
    constexpr auto rewinds = [](linear_resource& r) { r.rewind(r.mark()); };
    FINDS_TWO(use_by_two_threads<linear_resource>(rewinds, bytes), "linear_resource");
}

TEST_F(one_thread_resources_death, of_both_ends_of_a_region) {
    constexpr auto at_the_other_end = [](double_ended_resource& r) {
        static_cast<void>(r.high().try_allocate(48, 8));
    };
    const std::size_t bytes = 64_KiB;
    FINDS_TWO(use_by_two_threads<double_ended_resource>(at_the_other_end, bytes),
              "linear_resource");
}

TEST_F(one_thread_resources_death, of_buffers_and_frames) {
    const std::size_t bytes = 64_KiB;
    FINDS_TWO(use_by_two_threads<double_buffered_resource>(allocates, bytes), "linear_resource");
    FINDS_TWO(use_by_two_threads<frame_resource<2>>(allocates, bytes), "linear_resource");
    constexpr auto goes_on = [](frame_resource<2>& r) { r.next(); };
    FINDS_TWO(use_by_two_threads<frame_resource<2>>(goes_on, bytes), "linear_resource");
}

TEST_F(one_thread_resources_death, of_linear_resources_without_an_upstream) {
    constexpr auto fill = [](auto& r) {
        static_cast<void>(r.try_allocate(200, 8));
        r.reset();
    };
    FINDS_TWO(
        {
            growing_linear_resource shared;
            meet_by_chance([&] { fill(shared); });
        },
        "linear_resource");
    FINDS_TWO(
        {
            growing_linear_resource shared;
            meet_by_chance([&] { shared.trim(); });
        },
        "linear_resource");
    FINDS_TWO(
        {
            inline_linear_resource<256> shared;
            meet_by_chance([&] { fill(shared); });
        },
        "linear_resource");
    FINDS_TWO(
        {
            linear_resource& of_one_thread = scratch();
            meet_by_chance([&] { fill(of_one_thread); });
        },
        "linear_resource");
}

struct node {
    long value = 0;
};

/// Waits at a gate when it is destroyed.
struct waits_at_its_end {
    explicit waits_at_its_end(gate& g) noexcept : at{&g} {}
    waits_at_its_end(waits_at_its_end&& other) noexcept : at{std::exchange(other.at, nullptr)} {}
    waits_at_its_end& operator=(waits_at_its_end&&) = delete;
    ~waits_at_its_end() {
        if (at != nullptr)
            at->wait();
    }

    gate* at;
};

/// One is inside of a compacting_heap by destroying an object, and the other calls.
template <class G>
void use_heap_by_two_threads(G other) {
    gate at;
    compacting_heap shared;
    const handle<node> old = shared.make<node>();
    const handle<waits_at_its_end> slow = shared.make<waits_at_its_end>(at);
    at.meet([&] { shared.destroy(slow); }, [&] { other(shared, old); });
}

TEST_F(one_thread_resources_death, of_a_compacting_heap) {
    constexpr auto makes = [](compacting_heap& h, const handle<node>&) {
        static_cast<void>(h.try_make<node>());
    };
    constexpr auto destroys = [](compacting_heap& h, const handle<node>& old) { h.destroy(old); };
    constexpr auto pins = [](compacting_heap&, const handle<node>& old) {
        const auto p = old.pin();
    };
    constexpr auto steps = [](compacting_heap& h, const handle<node>&) { h.step(); };
    constexpr auto orders = [](compacting_heap& h, const handle<node>& old) {
        h.step(std::span{&old, 1});
    };
    constexpr auto ends_order = [](compacting_heap& h, const handle<node>&) { h.end_order(); };
    constexpr auto trims_heap = [](compacting_heap& h, const handle<node>&) { h.trim(); };
    constexpr auto visits = [](compacting_heap& h, const handle<node>&) {
        h.for_each<node>([](node&) {});
    };
    FINDS_TWO(use_heap_by_two_threads(makes), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(destroys), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(pins), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(steps), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(orders), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(ends_order), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(trims_heap), "compacting_heap");
    FINDS_TWO(use_heap_by_two_threads(visits), "compacting_heap");
}

TEST_F(one_thread_resources_death, of_an_object_pool) {
    constexpr auto use = [](auto other) {
        waiting_resource slow;
        object_pool<node> shared{slow};
        slow.at.meet([&] { static_cast<void>(shared.try_acquire()); }, [&] { other(shared); });
    };
    constexpr auto acquires = [](object_pool<node>& p) { static_cast<void>(p.try_acquire()); };
    constexpr auto reserves = [](object_pool<node>& p) { static_cast<void>(p.try_reserve(9)); };
    FINDS_TWO(use(acquires), "object_pool");
    FINDS_TWO(use(reserves), "object_pool");
    FINDS_TWO(use(trims), "object_pool");
    FINDS_TWO(
        {
            object_pool<node> shared;
            meet_by_chance([&] { static_cast<void>(shared.acquire()); });
        },
        "object_pool");
}

TEST_F(one_thread_resources_death, of_an_offset_allocator) {
    constexpr auto use = [](auto other) {
        waiting_resource slow;
        offset_allocator shared{1_MiB, slow};
        slow.at.meet([&] { static_cast<void>(shared.try_allocate(48)); }, [&] { other(shared); });
    };
    constexpr auto places = [](auto& r) { static_cast<void>(r.try_allocate(48)); };
    constexpr auto gives = [](auto& r) { r.deallocate({}); };
    constexpr auto moves = [](auto& r) { static_cast<void>(r.step({})); };
    constexpr auto grows = [](auto& r) { static_cast<void>(r.grow(1_MiB)); };
    constexpr auto shrinks = [](auto& r) { r.shrink(); };
    constexpr auto clears = [](auto& r) { r.clear(); };
    FINDS_TWO(use(places), "offset_allocator");
    FINDS_TWO(use(gives), "offset_allocator");
    FINDS_TWO(use(moves), "offset_allocator");
    FINDS_TWO(use(grows), "offset_allocator");
    FINDS_TWO(use(shrinks), "offset_allocator");
    FINDS_TWO(use(clears), "offset_allocator");
}

/// Also while a source is asked, which must not call its heap: that another thread calls it is
/// another mistake.
TEST_F(one_thread_resources_death, of_an_offset_heap) {
    constexpr auto use = [](auto other) {
        gate at;
        const offset_source slow{.get = [](std::uint64_t, void* user) noexcept -> void* {
                                     static_cast<gate*>(user)->wait();
                                     return user;
                                 },
                                 .give_back = [](void*, std::uint64_t, void*) noexcept {},
                                 .user = &at};
        offset_heap shared{slow};
        at.meet([&] { static_cast<void>(shared.try_allocate(48)); }, [&] { other(shared); });
    };
    constexpr auto places = [](auto& r) { static_cast<void>(r.try_allocate(48)); };
    constexpr auto gives = [](auto& r) { r.deallocate({}); };
    FINDS_TWO(use(places), "offset_heap");
    FINDS_TWO(use(gives), "offset_heap");
    FINDS_TWO(use(trims), "offset_heap");
}

TEST_F(one_thread_resources_death, of_memory_slots) {
    constexpr auto use = [](auto other) {
        waiting_resource slow;
        memory_slots shared{1_MiB, slow};
        slow.at.meet([&] { static_cast<void>(shared.reserve(48)); }, [&] { other(shared); });
    };
    FINDS_TWO(use([](memory_slots& m) { static_cast<void>(m.reserve(48)); }), "memory_slots");
    FINDS_TWO(use([](memory_slots& m) { m.release(0, 48); }), "memory_slots");
    FINDS_TWO(use([](memory_slots& m) { m.clear(); }), "memory_slots");
}

TEST_F(one_thread_resources_death, of_an_intrusive_resource) {
    FINDS_TWO(use_by_two_threads<intrusive_resource>(allocates), "intrusive_resource");
    FINDS_TWO(use_by_two_threads<intrusive_resource>(frees), "intrusive_resource");
    FINDS_TWO(use_by_two_threads<intrusive_resource>(trims), "intrusive_resource");
}

/// By its own name, and not by that of the pool that its maps lie in.
TEST_F(one_thread_resources_death, of_a_slots_resource) {
    FINDS_TWO(use_by_two_threads<slots_resource>(allocates), "slots_resource");
    FINDS_TWO(use_by_two_threads<slots_resource>(frees), "slots_resource");
    FINDS_TWO(use_by_two_threads<slots_resource>(trims), "slots_resource");
}

/// Any thread may free there, while its owner is inside.
TEST(one_thread_threads, in_a_handover_resource_others_may_free_meanwhile) {
    handover_resource shared{2_MiB};
    std::vector<void*> all;
    for (int i = 0; i < 10'000; ++i)
        all.push_back(shared.allocate(48, 8));
    std::atomic<bool> begun{false}, freed{false};
    std::thread other{[&] {
        begun = true;
        for (void* const p : all)
            shared.deallocate(p, 48, 8);
        freed = true;
    }};
    while (!begun)
        std::this_thread::yield();
    while (!freed)
        shared.deallocate(shared.allocate(100, 8), 100, 8);
    other.join();
}

/// An address of others is reported as such, whoever is inside.
TEST_F(one_thread_resources_death, of_a_handover_resource_foreign_memory_is_found_as_such) {
    constexpr auto free_foreign = [] {
        waiting_resource slow;
        handover_resource shared{64_KiB, slow};
        long other = 0;
        slow.at.meet([&] { static_cast<void>(shared.try_allocate(48, 8)); },
                     [&] { shared.deallocate(&other, 48, 8); });
    };
    EXPECT_DEATH(free_foreign(), "violated: tlsf_resource .* is not of this resource");
}

} // namespace
