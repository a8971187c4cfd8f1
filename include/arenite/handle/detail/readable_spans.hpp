// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Between a block_source and its upstream: what was once lent can always be read, until the end.
///
///     spans    | lent | idle | lent | idle | ...     in address order
///                        ^ readable; without memory where the upstream lends pages
///
/// A span that comes back keeps its addresses, and gives its memory to the system where the
/// upstream can purge. The next request of its size gets the lowest such span.
///
/// Use when:  old addresses are looked at, as handles do. For requests of few sizes.
/// Cost:      O(spans), a few microseconds for thousands.
/// Overhead:  24 bytes a span; addresses of as many spans as were ever lent at once.
/// Threads:   one at a time.
/// Failure:   nullptr; nothing changes.
class readable_spans final : public resource_base<readable_spans> {
public:
    explicit readable_spans(upstream up) noexcept : upstream_{up} {}
    ~readable_spans() override;

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Gives the memory of whole pages back where the upstream can.
    void purge(void* p, std::size_t bytes) noexcept;

    void give_back_due() noexcept { upstream_.give_back_due(); }

    /// Bytes held that a span's user does not know of: the list, and idle spans with their memory.
    [[nodiscard]] std::size_t bytes_beside() const noexcept {
        return room_ * sizeof(entry) + (upstream_.purges() ? 0 : idle_bytes_);
    }

    /// Idle spans that have their memory, as free, and the list as overhead.
    void list_regions(region_sink& sink) const;

private:
    struct entry {
        std::byte* begin;
        std::size_t bytes;
        unsigned char alignment_log2;
        bool lent;
    };

    [[nodiscard]] bool make_room() noexcept;
    [[nodiscard]] std::span<entry> entries() const noexcept;

    upstream upstream_;
    entry* first_ = nullptr;
    std::size_t count_ = 0;
    std::size_t room_ = 0;
    std::size_t idle_bytes_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
