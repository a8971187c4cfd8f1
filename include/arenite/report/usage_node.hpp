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

/// Options for reports of a tree of usage_nodes.
struct usage_report_options {
    /// Find the largest hole by walking all memory of each Mappable resource, instead of using its
    /// usage(): exact, and O(memory / granule).
    bool walk = true;

    /// Text only: exact byte counts, for a diff or a spreadsheet, instead of "1.5 MiB".
    bool exact = false;
};

/// A named resource in a tree with others, to show what holds the memory.
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
/// A node without a resource shows the sum of its children. One with a resource shows that
/// resource's figures; its children are taken as parts whose memory comes from there, and are not
/// added. Fragmentation is 1 - largest hole / all that is held and not in use, unknown if either
/// is. The high-water mark of a sum is its largest value at any sample() or report, and no less
/// than that of any part: call sample() on the root once a frame.
///
/// Use when:  figures of several resources are to be seen together. For a single one: its usage().
/// Cost:      O(1) to make and destroy; a report reads usage() of each node, and walks (see
///            options). A resource pays nothing for being in a tree.
/// Overhead:  about 100 bytes a node plus its name, from the C++ library's heap.
/// Lifetime:  a node must end before its resource does: declare it after. Otherwise nodes may end
///            in any order: the children of one that ends become roots.
/// Threads:   one at a time for the whole tree, and for all trees while a usage_snapshot is taken;
///            trees may be made and end by any. A resource that other threads use meanwhile must be
///            one whose usage() allows that, and walk must be off.
class usage_node {
public:
    /// A node without a resource: the sum of its children.
    explicit usage_node(std::string_view name, usage_node* parent = nullptr)
        : usage_node{name, parent, {}} {}

    /// A node with a resource's own figures.
    template <Measurable R>
    usage_node(std::string_view name, const R& counted, usage_node* parent = nullptr)
        : usage_node{name, parent, source_of(counted)} {}
    template <Measurable R>
    usage_node(std::string_view, const R&&, usage_node* = nullptr) = delete;

    ~usage_node();

    usage_node(const usage_node&) = delete;
    usage_node& operator=(const usage_node&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const usage_node* parent() const noexcept { return parent_; }
    [[nodiscard]] const usage_node* first_child() const noexcept { return first_; }
    [[nodiscard]] const usage_node* next_sibling() const noexcept {
        return parent_ != nullptr ? next_ : nullptr;
    }

    /// Calls f(const usage_node&) for each node without a parent, in the order in which they were
    /// made or lost it.
    template <class F>
    static void for_each_root(F f) {
        for (const usage_node* n = first_root(); n != nullptr; n = n->next_)
            f(*n);
    }

    /// Usage of the resource, or the sum of all descendants. O(descendants).
    [[nodiscard]] arenite::usage usage() const;

    /// 0 (all free memory is one hole) to 1; nullopt if it is not known, or nothing is free. `walk`
    /// as in usage_report_options.
    [[nodiscard]] std::optional<double> fragmentation(bool walk = true) const;

    /// Updates the high-water marks of this sum and those below.
    void sample() const { static_cast<void>(usage()); }

    /// Writes a line a node, in columns; ignores the stream's locale and flags. Control characters
    /// in names are shown escaped.
    void write_text(std::ostream& out, const usage_report_options& options = {}) const;

    /// Writes one object; unknown figures are null. Bytes of names that are not UTF-8 are replaced.
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
    void join() noexcept;
    void leave() noexcept;
    [[nodiscard]] static const usage_node* first_root() noexcept;
    void add_to(reading& sum, const reading& below) const noexcept;
    void note_high_water(reading& whole) const noexcept;

    std::string name_;
    source source_;
    usage_node* parent_;
    usage_node* first_ = nullptr;
    usage_node* last_ = nullptr;
    usage_node* previous_ = nullptr; ///< among siblings, or roots
    usage_node* next_ = nullptr;
    mutable std::size_t high_water_ = 0; ///< of a sum
};

} // namespace ARENITE_ABI
} // namespace arenite
