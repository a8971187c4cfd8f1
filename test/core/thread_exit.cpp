// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/thread_exit.hpp>

#include <arenite/check/detail/poison.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#if defined(__unix__)
#include <pthread.h>
#include <unistd.h>
#endif

using namespace arenite;
using detail::thread_exit;

namespace {

std::string told; // by one thread at a time

struct object {
    char name;
    ~object() {
        told += name;
        told += thread_exit::has_come() ? '!' : '.';
    }
};

template <char Name>
void tell() noexcept {
    told += Name;
    told += thread_exit::has_come() ? '!' : '.';
}

TEST(thread_exit_threads, calls_each_function_once_after_the_objects) {
    told.clear();
    std::thread{[] {
        thread_local object older{'o'};
        told += older.name;
        thread_exit::await(&tell<'a'>);
        thread_exit::await(&tell<'b'>);
        thread_exit::await(&tell<'a'>);
        thread_local object younger{'y'};
        told += younger.name;
        EXPECT_FALSE(thread_exit::has_come());
    }}.join();
    EXPECT_EQ(told, thread_exit::ends_after_objects ? "oyy.o.b!a!" : "oyy.b!a!o!");
}

#if defined(__unix__)
TEST(thread_exit_threads, what_is_awaited_last_is_called_after_all_objects_have_ended) {
    told.clear();
    std::thread{[] {
        thread_local object older{'o'};
        told += older.name;
        thread_exit::await_last(&tell<'l'>);
        thread_exit::await(&tell<'a'>);
        thread_exit::await_last(&tell<'l'>);
    }}.join();
    EXPECT_EQ(told, thread_exit::ends_after_objects ? "oo.a!l!" : "oa!o!l!");
}

#if defined(__GLIBC__)
constexpr bool ends_objects_itself = true; ///< the C library, before it calls any key
#else
constexpr bool ends_objects_itself = false;
#endif

TEST(thread_exit_threads, what_is_awaited_when_all_objects_have_ended_is_called_too) {
    if (detail::poison::active)
        GTEST_SKIP() << "the C library loses its own note of a destructor that comes too late";
    told.clear();
    pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key,
                                 [](void*) {
                                     told += 'k';
                                     thread_exit::await(&tell<'c'>);
                                 }),
              0);
    std::thread{[&] {
        pthread_setspecific(key, &key);
        thread_local object older{'o'};
        told += older.name;
    }}.join();
    // Where the C++ library ends objects by a key of its own, that may be called after this one.
    constexpr bool may_end_by_key = !ends_objects_itself;
    EXPECT_TRUE(told == "oo.kc!" || (may_end_by_key && told == "oko.c!")) << told;
    pthread_key_delete(key);
}

TEST(thread_exit_threads, objects_of_other_keys_end_before) {
    told.clear();
    pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key, [](void*) { tell<'k'>(); }), 0);
    std::thread{[&] {
        thread_exit::await(&tell<'a'>);
        pthread_setspecific(key, &key);
    }}.join();
    EXPECT_EQ(told, "k.a!");
    pthread_key_delete(key);
}

// Memory that static objects free, the main thread's heap takes back at once.
TEST(thread_exit_death, the_main_thread_does_not_end_before_static_objects) {
    EXPECT_EXIT(
        {
            thread_exit::await(&tell<'a'>);
            std::atexit([] { ::_exit(thread_exit::has_come() ? 1 : 0); });
            std::exit(2);
        },
        ::testing::ExitedWithCode(0), "");
}
#endif

TEST(thread_exit_threads, a_thread_that_awaits_nothing_sees_nothing) {
    told.clear();
    std::thread{[] {
        thread_local object only{'x'};
        told += only.name;
    }}.join();
    EXPECT_EQ(told, "xx.");
    EXPECT_FALSE(thread_exit::has_come()) << "each thread for itself";
}

} // namespace
