// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/call_sites.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include "support/misuse.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace arenite;

namespace {

class call_sites_test : public testing::Test {
protected:
    call_sites_test() : before_{call_sites::detail::set_count_for_test(4)} {}
    ~call_sites_test() override { call_sites::detail::set_count_for_test(before_); }

    /// The text about p.
    static std::string written(const void* p) {
        std::FILE* const file = std::tmpfile();
        call_sites::write(file, p);
        std::rewind(file);
        std::array<char, 4096> text{};
        const std::size_t n = std::fread(text.data(), 1, text.size(), file);
        std::fclose(file);
        return {text.data(), n};
    }

    static std::size_t sites(const std::string& text) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = text.find("\n      ", at)) != std::string::npos; ++at)
            ++n;
        return n;
    }

private:
    unsigned before_;
};

TEST_F(call_sites_test,
       of_an_allocation_and_of_its_free_are_known_until_the_address_is_used_again) {
    const char object = 0;
    call_sites::detail::note_allocation(&object);
    const std::string allocated = written(&object);
    EXPECT_NE(allocated.find("allocated at"), std::string::npos) << allocated;
    EXPECT_EQ(allocated.find("freed at"), std::string::npos) << allocated;
    call_sites::detail::note_free(&object);
    EXPECT_NE(written(&object).find("freed at"), std::string::npos);
    call_sites::detail::note_allocation(&object);
    EXPECT_EQ(written(&object).find("freed at"), std::string::npos);
}

TEST_F(call_sites_test, no_more_are_kept_than_asked_for_and_the_first_is_always_there) {
    static const char object = 0;
    call_sites::detail::note_allocation(&object);
    const std::size_t found = sites(written(&object));
    EXPECT_GE(found, 1u);
    EXPECT_LE(found, 4u);
}

TEST_F(call_sites_test, of_a_second_free_are_not_taken_for_the_first) {
    static const char object = 0;
    call_sites::detail::note_allocation(&object);
    call_sites::detail::note_free(&object);
    const std::string before = written(&object);
    [] { call_sites::detail::note_free(&object); }();
    EXPECT_EQ(written(&object), before);
}

TEST_F(call_sites_test, many_addresses_are_told_apart) {
    std::vector<char> objects(100'000);
    for (const char& c : objects)
        call_sites::detail::note_allocation(&c);
    for (std::size_t i = 0; i < objects.size(); i += 2)
        call_sites::detail::note_free(&objects[i]);
    for (std::size_t i = 0; i < objects.size(); i += 997)
        EXPECT_EQ(written(&objects[i]).find("freed at") != std::string::npos, i % 2 == 0) << i;
    EXPECT_EQ(written(objects.data() - 1), "");
}

TEST_F(call_sites_test, are_off_by_default) {
    call_sites::detail::set_count_for_test(0);
    static const char object = 0;
    call_sites::detail::note_allocation(&object);
    EXPECT_EQ(written(&object), "");
}

class call_sites_of_resources : public call_sites_test {
protected:
    void SetUp() override {
        if (!checks_enabled)
            GTEST_SKIP() << "only checked builds note call sites";
    }

    template <class R>
    static void expect_sites_of(R& r) {
        void* const p = r.allocate(48, 8);
        EXPECT_NE(written(p).find("allocated at"), std::string::npos);
        r.deallocate(p, 48, 8);
        EXPECT_NE(written(p).find("freed at"), std::string::npos);
    }
};

TEST_F(call_sites_of_resources, are_noted_by_each_that_finds_misuse) {
    ordered_heap heap;
    expect_sites_of(heap);
    expect_sites_of<resource>(heap);
    ordered_heap keeps_sizes{ordered_options{.sizes = sizes::kept}};
    void* const p = keeps_sizes.allocate(48, 8);
    keeps_sizes.deallocate(p);
    EXPECT_NE(written(p).find("freed at"), std::string::npos) << "without its size";
    pool_resource pool{slot{48, 8}};
    expect_sites_of(pool);
    expect_sites_of(affinity_heap::named("call sites"));
}

TEST_F(call_sites_of_resources, are_noted_of_an_object_beside_another) {
    affinity_heap& heap = affinity_heap::named("call sites");
    void* const p = heap.allocate(48, 8);
    void* const beside = heap.near(p).allocate(48, 8);
    EXPECT_NE(written(beside).find("allocated at"), std::string::npos);
    heap.deallocate(beside, 48, 8);
    heap.deallocate(p, 48, 8);
}

TEST_F(call_sites_of_resources, stand_in_the_report_of_a_leak) {
    testing::internal::CaptureStderr();
    {
        ordered_heap heap{ordered_options{.name = "meshes"}};
        static_cast<void>(heap.allocate(40, 8));
    }
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("resource meshes ("), std::string::npos) << text;
    EXPECT_NE(text.find("40 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("allocated at\n"), std::string::npos) << text;
}

TEST_F(call_sites_of_resources, stand_before_the_message_of_a_double_free) {
    ordered_heap heap;
    void* const p = heap.allocate(48, 8);
    heap.deallocate(p, 48, 8);
    EXPECT_DEATH(heap.deallocate(p, 48, 8),
                 "allocated at\n.*(\n.*)*freed at\n.*(\n.*)*refused is at\n(.*\n)*.*contract");
}

TEST_F(call_sites_of_resources, tell_a_free_that_is_refused_from_one_that_was_made) {
    ordered_heap level, sounds;
    void* const p = level.allocate(48, 8);
    const std::string refused = "allocated at\n.*(\n.*)*refused is at\n(.*\n)*.*contract";
    EXPECT_DEATH(sounds.deallocate(p, 48, 8), refused);
    testing::internal::CaptureStderr();
    EXPECT_TRUE(support::is_misuse([&] { sounds.deallocate(p, 48, 8); }));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("the call that is refused is at"), std::string::npos) << text;
    EXPECT_EQ(text.find("    freed at"), std::string::npos) << text;
    EXPECT_EQ(written(p).find("freed at"), std::string::npos) << "it lives";
    level.deallocate(p, 48, 8);
    EXPECT_NE(written(p).find("freed at"), std::string::npos);
    affinity_heap& nodes = affinity_heap::named("nodes, freed twice");
    void* const q = nodes.allocate(48, 8);
    EXPECT_DEATH(affinity_heap::named("others").deallocate(q, 48, 8), refused);
    nodes.deallocate(q, 48, 8);
    EXPECT_DEATH(affinity_heap::deallocate_any(q),
                 "allocated at\n.*(\n.*)*freed at\n.*(\n.*)*refused is at\n(.*\n)*.*contract");
}

} // namespace
