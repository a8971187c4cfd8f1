// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::linear {

struct linear_case : conformance_case {
    static constexpr bool frees = false;
    static constexpr std::size_t capacity = 4_MiB;
};

struct on_upstream : linear_case {
    static constexpr const char* name = "on_upstream";
    linear_resource subject;
    explicit on_upstream(upstream up) : subject{capacity, up} {}
};

struct in_a_buffer : linear_case {
    static constexpr const char* name = "in_a_buffer";
    static constexpr bool has_upstream = false;
    raw_buffer buffer{capacity};
    linear_resource subject{std::span<std::byte>{buffer}};
    explicit in_a_buffer(upstream) {}
};

struct in_itself : linear_case {
    static constexpr const char* name = "in_itself";
    static constexpr bool has_upstream = false;
    inline_linear_resource<capacity> subject;
    explicit in_itself(upstream) {}
};

struct double_ended : linear_case {
    static constexpr const char* name = "double_ended";
    double_ended_resource subject;
    explicit double_ended(upstream up) : subject{capacity, up} {}
};

/// The high end alone: what it does through the linear_resource& that users pass on.
class high_end_resource final : public resource_base<high_end_resource> {
public:
    explicit high_end_resource(std::size_t capacity, upstream up) : both_{capacity, up} {}

    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return high_.try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        high_.deallocate(p, bytes, alignment);
    }
    void reset() noexcept { high_.reset(); }
    void trim() noexcept { high_.trim(); }
    [[nodiscard]] bool owns(const void* p) const noexcept { return high_.owns(p); }
    [[nodiscard]] arenite::usage usage() const noexcept { return high_.usage(); }

private:
    double_ended_resource both_;
    linear_resource& high_ = both_.high();
};

struct high_end : linear_case {
    static constexpr const char* name = "high_end";
    high_end_resource subject;
    explicit high_end(upstream up) : subject{capacity, up} {}
};

struct double_buffered : linear_case {
    static constexpr const char* name = "double_buffered";
    double_buffered_resource subject;
    explicit double_buffered(upstream up) : subject{capacity, up} {}
};

struct frames : linear_case {
    static constexpr const char* name = "frames";
    frame_resource<3> subject;
    explicit frames(upstream up) : subject{capacity, up} {}
};

struct growing : linear_case {
    static constexpr const char* name = "growing";
    static constexpr bool has_upstream = false;
    growing_linear_resource subject{capacity};
    explicit growing(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(linear, conformance,
                         (cases<on_upstream, in_a_buffer, in_itself, double_ended, high_end,
                                double_buffered, frames, growing>()),
                         case_name);

} // namespace conformance_suite::linear
