// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The promises of every resource, tried on each by the tests in conformance.cpp. A new one joins in
// a few lines, in conformance/<folder>.cpp and in a namespace of its own below conformance_suite:
//
//     struct on_my_resource : conformance_case {
//         static constexpr const char* name = "my_resource";
//         my_resource subject;
//         explicit on_my_resource(upstream up) : subject{64_KiB, up} {}
//     };
//     INSTANTIATE_TEST_SUITE_P(my, conformance, cases<on_my_resource>(), case_name);

#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/upstream.hpp>

#include <gtest/gtest.h>

#include "conformance/subject.hpp"
#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace conformance_suite {

using support::counting_resource;
using support::piece;

inline constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

/// The abilities of a resource; a case overrides what is otherwise.
struct conformance_case {
    static constexpr bool has_upstream = true;     ///< it asks the upstream it is made with
    static constexpr bool frees = true;            ///< memory given back serves again, in any order
    static constexpr bool trims_to_nothing = true; ///< trim() leaves nothing of an empty one
    static constexpr bool keeps_sizes = false;     ///< size_of(p) and frees without a size
    static constexpr std::size_t capacity = size_max; ///< all it can hand out
    static constexpr std::size_t many = 2000;         ///< small allocations that a test may hold
};

/// Memory for a resource that works in what it is given; nothing is written into it before.
class raw_buffer {
public:
    explicit raw_buffer(std::size_t bytes) : memory_{new std::byte[bytes]}, bytes_{bytes} {}
    operator std::span<std::byte>() const noexcept { // NOLINT(google-explicit-constructor)
        return {memory_.get(), bytes_};
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t bytes_;
};

/// A case as the tests see it: what its resource promises, and how one is made.
struct promises {
    const char* name;
    bool has_upstream, frees, trims_to_nothing, keeps_sizes;
    bool owning, measurable, mappable, trimmable, resettable;
    std::size_t capacity, many;
    std::unique_ptr<subject> (*make)(upstream);

    friend void PrintTo(const promises& p, std::ostream* out) { *out << p.name; }
};

/// Holds a case, which holds its resource, beside the subject that the tests call.
template <class Case>
class case_holder {
protected:
    explicit case_holder(upstream up) : held_{up} {}
    Case held_;
};
template <class Case>
class subject_in final : case_holder<Case>, public subject_of<decltype(Case::subject)> {
public:
    explicit subject_in(upstream up)
        : case_holder<Case>{up}, subject_of<decltype(Case::subject)>{this->held_.subject} {}
};

template <class Case>
[[nodiscard]] promises promises_of() {
    using R = decltype(Case::subject);
    static_assert(!Case::keeps_sizes || Sizing<R>);
    return {.name = Case::name,
            .has_upstream = Case::has_upstream,
            .frees = Case::frees,
            .trims_to_nothing = Case::trims_to_nothing,
            .keeps_sizes = Case::keeps_sizes,
            .owning = Owning<R>,
            .measurable = Measurable<R>,
            .mappable = Mappable<R>,
            .trimmable = Trimmable<R>,
            .resettable = Resettable<R>,
            .capacity = Case::capacity,
            .many = Case::many,
            .make = [](upstream up) -> std::unique_ptr<subject> {
                return std::make_unique<subject_in<Case>>(up);
            }};
}

template <class... Cases>
[[nodiscard]] auto cases() {
    return testing::ValuesIn(std::vector<promises>{promises_of<Cases>()...});
}

inline std::string case_name(const testing::TestParamInfo<promises>& info) {
    return info.param.name;
}

/// The fixture of the tests.
class conformance : public testing::TestWithParam<promises> {
protected:
    [[nodiscard]] std::unique_ptr<subject> make(upstream up) const { return promised.make(up); }

    /// A request that must succeed, with everything that holds for it.
    [[nodiscard]] piece take(subject& r, std::size_t bytes,
                             std::size_t alignment = default_alignment) const;
    static void give_all(subject& r, std::vector<piece>& all);
    [[nodiscard]] std::size_t bytes_in_use(const subject& r) const;

    /// Small and large, aligned and odd, with frees between: what makes a resource call its
    /// upstream in each of its ways. Whatever fails, nothing may have changed and all else goes on.
    void run_program(subject& r, counting_resource& up) const;

    /// Fails each upstream call in turn, until a run needs no more calls than succeed.
    void fail_every_call(void (*fail)(counting_resource& up, std::size_t n),
                         bool by_exception) const;

    const promises& promised = GetParam();
};

} // namespace conformance_suite
