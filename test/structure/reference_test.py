#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""The reference that tools/reference.py makes of the headers: of a made-up one, and of all."""
import sys
import unittest
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tools"))
import reference  # noqa: E402

HEADER = """
namespace arenite {
namespace detail {
/// Not shown.
struct inner {};
} // namespace detail

/// A heap of <Things>, as one says in_use.
///
///     | a | b |
///
/// Use when:  it fits;
///            or not.
class heap final : public base {
public:
    /// Made of options.
    explicit heap(options o = options{}) noexcept(true) : o_{o}, p_{nullptr} {
        run("}");
    }
    ~heap() override;
    heap(const heap&) = delete;
    [[nodiscard]] ARENITE_INLINE void* allocate(std::size_t bytes,
                                                std::size_t alignment = default_alignment) {
        return nullptr;
    }
    int trimmed = 0; ///< how often
private:
    /// Hidden.
    void hidden();
};

/// Colours.
enum class colour { red, ///< warm
                    blue };
} // namespace arenite
"""


class reference_test(unittest.TestCase):
    def test_reads_types_members_and_comments(self):
        heap, colour = reference.reader(HEADER).scope(True, False)
        self.assertEqual((heap.name, colour.name), ("heap", "colour"))
        text = reference.section(heap, 3)
        for part in ("A heap of &lt;Things&gt;, as one says in\\_use.", "```text\n| a | b |\n```",
                     "**Use when:** it fits;\nor not.",
                     "```cpp\nexplicit heap(options o = options{}) noexcept(true);\n```\n\nMade of options.",
                     "void* allocate(std::size_t bytes, std::size_t alignment = default_alignment);",
                     "int trimmed = 0;\n```\n\nhow often"):
            self.assertIn(part, text)
        for part in ("idden", "delete", "~heap", "run"):
            self.assertNotIn(part, text)

    def test_has_a_page_of_each_header_with_its_class(self):
        pages = reference.pages(root)
        for header in (root / "include" / "arenite").glob("*/*_heap.hpp"):
            page = pages[f"reference/{header.parent.name}/{header.stem}.md"]
            self.assertIn("**Use when:**", page, header.stem)
            self.assertGreater(page.count("```cpp"), 5, header.stem)
        self.assertIn("## std::hash&lt;arenite::observer\\_ptr&lt;T&gt;&gt;", pages["reference/object/observer_ptr.md"])
        self.assertIn("on_warning", pages["reference/compose/limited_resource.md"])
        self.assertIn("largest_hole_bytes", pages["reference/core/usage.md"])
        self.assertIn("expired()", pages["reference/object/observer_ptr.md"])


unittest.main()
