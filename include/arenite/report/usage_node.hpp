// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a tree of usage_nodes is written.
struct usage_report_options {
    /// Look for the largest hole in all memory of each resource that is Mappable, instead of asking
    /// it for one it knows: exact, and O(memory / granule).
    bool walk = true;

    /// Text only: exact numbers of bytes, for a diff or a spreadsheet, instead of "1.5 MiB".
    bool exact = false;
};

/// A resource by a name that people know, in a tree with others: what holds the memory.
///
///     usage_node all{"game"};
///     usage_node level{"level 1", heap, &all};     // from here until it goes out of scope
///     usage_node sounds{"sounds", pool, &all};
///     all.write_text(std::cout);                   // or write_json
///
///     |                in use  reserved  high water  objects  largest hole  fragmentation
///     | game          1.5 MiB   4.0 MiB     1.5 MiB
///     | |- level 1    1.0 MiB   2.0 MiB     1.1 MiB
///     | `- sounds     512 KiB   2.0 MiB     512 KiB     4096       1.5 MiB            0 %
///
/// A node without a resource tells the sum of those below it. One with a resource tells that one's
/// figures; those below it are taken as parts, whose memory comes from there, and are not added.
/// Fragmentation is 1 - largest hole / all that is held and not in use, unknown where either is.
/// The high water of a sum is the most that it was at any sample() or report of it, and no less
/// than that of any part: call sample() once a frame on the root.
///
/// Use when:  figures of several resources are to be seen together. Of one alone: its usage().
/// Cost:      O(1) to make and end; a report reads usage() of each node, and walks (see options).
///            A resource pays nothing for being in a tree.
/// Overhead:  about 100 bytes a node and its name, from the C++ library's heap.
/// Lifetime:  a node ends before its resource does: declare it after. Nodes may end in any order
///            otherwise: those below one that ends become roots of their own.
/// Threads:   one at a time for the whole tree; a resource that others use meanwhile must be one
///            whose usage() may be asked then, and walk must be off.
class usage_node {
public:
    /// The sum of those below it.
    explicit usage_node(std::string_view name, usage_node* parent = nullptr)
        : usage_node{name, parent, {}} {}

    /// A resource's own figures.
    template <Measurable R>
    usage_node(std::string_view name, const R& resource, usage_node* parent = nullptr)
        : usage_node{name, parent, source_of(resource)} {}
    template <Measurable R>
    usage_node(std::string_view, const R&&, usage_node* = nullptr) = delete;

    ~usage_node();

    usage_node(const usage_node&) = delete;
    usage_node& operator=(const usage_node&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const usage_node* parent() const noexcept { return parent_; }
    [[nodiscard]] const usage_node* first_child() const noexcept { return first_; }
    [[nodiscard]] const usage_node* next_sibling() const noexcept { return next_; }

    /// Usage of the resource, or the sum of all below. O(nodes below).
    [[nodiscard]] arenite::usage usage() const;

    /// 0 (all that is free is one hole) to 1; nothing where it is not known, or nothing is free.
    /// `walk` as in usage_report_options.
    [[nodiscard]] std::optional<double> fragmentation(bool walk = true) const;

    /// Takes note of the high water of this sum and those below.
    void sample() const { static_cast<void>(usage()); }

    /// A line a node, in columns. Whatever the stream's locale and flags; control characters in
    /// names are shown, not sent.
    void write_text(std::ostream& out, const usage_report_options& options = {}) const;

    /// One object; unknown figures are null. Names that are not UTF-8 lose their broken bytes.
    void write_json(std::ostream& out, const usage_report_options& options = {}) const;

private:
    struct source {
        const void* resource = nullptr;
        arenite::usage (*usage)(const void*) = nullptr;
        void (*list)(const void*, region_sink&) = nullptr; ///< null: not Mappable
        std::size_t (*left)(const void*) = nullptr;        ///< of a budget; null: it has none
    };

    template <class R>
    static source source_of(const R& r) {
        source s{&r, [](const void* p) { return static_cast<const R*>(p)->usage(); }};
        if constexpr (Mappable<R>)
            s.list = [](const void* p, region_sink& to) {
                static_cast<const R*>(p)->list_regions(to);
            };
        if constexpr (requires { r.left_bytes(); })
            s.left = [](const void* p) { return static_cast<const R*>(p)->left_bytes(); };
        return s;
    }

    struct reading;
    struct writer;

    usage_node(std::string_view name, usage_node* parent, const source& from);
    [[nodiscard]] reading read(bool walk) const;
    [[nodiscard]] reading read_own(bool walk) const;
    void add_to(reading& sum, const reading& below) const noexcept;
    void note_high_water(reading& whole) const noexcept;

    std::string name_;
    source source_;
    usage_node* parent_;
    usage_node* first_ = nullptr;
    usage_node* last_ = nullptr;
    usage_node* previous_ = nullptr;
    usage_node* next_ = nullptr;
    mutable std::size_t high_water_ = 0; ///< of a sum
};

} // namespace ARENITE_ABI
} // namespace arenite
