// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Reports of affinities, and where they go.

#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/check/passthrough.hpp>

#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

using namespace arenite;

namespace {

TEST(affinity_report, a_report_says_null_for_the_objects_that_it_does_not_know) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "objects are listed one by one here, or all goes to malloc";
    affinity_heap& h = affinity_heap::named("reported");
    void* const p = h.allocate(64, 8);
    void* const q = h.allocate(64, 8);
    std::ostringstream json;
    h.report_json(json);
    EXPECT_NE(json.str().find("\"live_allocations\": 2,"), std::string::npos) << json.str();
    EXPECT_NE(json.str().find("\"objects\": null"), std::string::npos) << json.str();
    h.deallocate(p, 64, 8);
    h.deallocate(q, 64, 8);
}

TEST(affinity_report, sums_stand_above_what_they_sum_up) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::named("summed up");
    void* const p = h.allocate(64, 8);
    std::ostringstream stream;
    affinity_heap::report_all(stream);
    const std::string text = stream.str();
    EXPECT_EQ(text.find("all affinities: in use "), 0u) << text;
    const std::size_t line = text.find("\n  summed up: in use ");
    EXPECT_LT(line, text.find("\naffinity ")) << text; // the first that is reported in full
    const std::size_t in_full = text.find("\naffinity summed up (");
    ASSERT_NE(in_full, std::string::npos) << text;
    const std::size_t blocks = text.find("\n  blocks: ", in_full);
    EXPECT_LT(blocks, text.find("\n  0x", in_full)) << text;
    h.deallocate(p, 64, 8);
}

/// Uses an affinity at each character, large objects too.
class buffer_in final : public std::streambuf {
public:
    explicit buffer_in(affinity_heap& h) noexcept : heap_{&h} {}
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    int overflow(int c) override {
        heap_->deallocate(heap_->allocate(100'000, 8), 100'000, 8);
        heap_->deallocate(heap_->allocate(64, 8), 64, 8);
        text_ += static_cast<char>(c);
        return c;
    }

    affinity_heap* heap_;
    std::string text_;
};

TEST(affinity_report, a_report_may_go_to_a_stream_that_uses_the_affinity) {
    affinity_heap& h = affinity_heap::named("reported into");
    std::vector<void*> all;
    for (int i = 0; i < 10'000; ++i)
        all.push_back(h.allocate(64, 8));
    for (int i = 0; i < 20; ++i)
        all.push_back(h.allocate(1'000'000, 8));
    buffer_in buffer{h};
    std::ostream out{&buffer};
    h.report(out);
    h.report_json(out);
    EXPECT_NE(buffer.text().find("\"affinity\": \"reported into\""), std::string::npos);
    for (void* const p : all)
        h.deallocate(p);
}

} // namespace
