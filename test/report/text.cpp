// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/detail/text.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

using namespace arenite;

namespace {

TEST(report_text, writes_numbers) {
    EXPECT_EQ(detail::report_text::integer(0), "0");
    EXPECT_EQ(detail::report_text::integer(UINT64_MAX), "18446744073709551615");
    EXPECT_EQ(detail::report_text::hex(0x7f00), "0x7f00");
    EXPECT_EQ(detail::report_text::decimal(1.25, 1), "1.2");
    EXPECT_EQ(detail::report_text::decimal(std::numeric_limits<double>::max(), 2).size(), 312u);
}

TEST(report_text, writes_bytes_in_the_unit_that_fits) {
    EXPECT_EQ(detail::report_text::bytes(0), "0 B");
    EXPECT_EQ(detail::report_text::bytes(1023), "1023 B");
    EXPECT_EQ(detail::report_text::bytes(1024), "1.0 KiB");
    EXPECT_EQ(detail::report_text::bytes(1536), "1.5 KiB");
    EXPECT_EQ(detail::report_text::bytes(300 * 1024), "300 KiB");
    EXPECT_EQ(detail::report_text::bytes(1024 * 1024 - 1), "1.0 MiB");
    EXPECT_EQ(detail::report_text::bytes(UINT64_MAX), "16.0 EiB");
}

TEST(report_text, writes_shares) {
    EXPECT_EQ(detail::report_text::percent(1, 3), "33");
    EXPECT_EQ(detail::report_text::percent(1, 64), "1.6");
    EXPECT_EQ(detail::report_text::percent(0, 5), "0");
    EXPECT_EQ(detail::report_text::percent(5, 0), "0");
}

TEST(report_text, escapes_what_each_form_needs) {
    EXPECT_EQ(detail::report_text::json("a\"\\\n"), R"(a\"\\\u000a)");
    EXPECT_EQ(detail::report_text::xml("<&>\"'\x02"), "&lt;&amp;&gt;&quot;'\xef\xbf\xbd");
    EXPECT_EQ(detail::report_text::visible("a\tb\x7f\xc2\x9b"), R"(a\x09b\x7f\xc2\x9b)");
    EXPECT_EQ(detail::report_text::visible("ä"), "ä");
}

TEST(report_text, lets_no_broken_utf_8_through) {
    for (const char* broken : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                               "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80"}) {
        EXPECT_EQ(detail::report_text::json(broken).find(broken), std::string::npos);
        EXPECT_EQ(detail::report_text::xml(broken).find(broken), std::string::npos);
        EXPECT_EQ(detail::report_text::visible(broken).find(broken), std::string::npos);
    }
    for (const char* good :
         {"\x7e", "\xc2\xa0", "\xe0\xa0\x80", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(detail::report_text::json(good), good);
}

TEST(report_text, counts_columns_not_bytes) {
    EXPECT_EQ(detail::report_text::columns("Häuser"), 6u);
    EXPECT_EQ(detail::report_text::columns(""), 0u);
}

} // namespace
