// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A linear_resource over reserved addresses: reserves at the first request, commits in steps as the
// top rises, in huge pages after the first MiB, and gives back what recent rounds did not need.
// Read reserve() and commit() first, which are the two halves of growing: addresses once, memory in
// steps. emptied() is called at the end of a round and decides what of it stays.
#include <arenite/linear/growing_linear_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::os::platform;

namespace {

/// Steps double from here to largest_step, so that n bytes take O(log n) system calls until they
/// are large, and then one for each 32 MiB.
constexpr std::size_t first_step = 64_KiB;
constexpr std::size_t in_small_pages = 1_MiB; // where a region begins before its first huge page
constexpr std::size_t largest_step = 32_MiB;
/// The peak of this window and of the one before are kept: 16 to 32 rounds, half a second of
/// frames.
constexpr std::size_t rounds_of_a_window = 16;

std::size_t huge_bytes() noexcept {
    const std::size_t huge = platform::huge_page_bytes();
    return huge != 0 && huge <= largest_step ? huge : 2_MiB; // 512 MiB where pages have 64 KiB
}

} // namespace

growing_linear_resource::growing_linear_resource(std::size_t address_space, growing_options options)
    : linear_{address_space, linear_resource::grown_by{*this}}, asked_bytes_{address_space},
      options_{options} {
    if (options.eager && address_space != 0 && !passthrough() && !make_room(1, 1))
        detail::refuse(*this, address_space, default_alignment);
}

growing_linear_resource::~growing_linear_resource() { release(); }

// Addresses for a request of `count` at `alignment`, as many as are wanted or to be had. Those of
// the first request need no padding. Without such a need the region begins a little before a huge
// page: a huge page costs as much as a hundred small ones, so who needs little has none, and who
// needs much has little else.
bool growing_linear_resource::reserve(std::size_t count, std::size_t alignment) noexcept {
    const std::size_t page = platform::page_bytes();
    const auto least = detail::checked_align_up(count, page);
    if (!least || linear_.capacity_ > detail::max_object_bytes - page)
        return false;
    std::size_t bytes = align_up(linear_.capacity_, page);
    std::size_t before = 0; // the begin lies so far before a multiple of:
    std::size_t multiple = std::max(alignment, page);
    if (bytes >= huge_bytes()) {
        before = alignment <= in_small_pages && in_small_pages < huge_bytes() ? in_small_pages : 0;
        multiple = std::max(alignment, huge_bytes());
    }
    // The system gives any page; a begin that is a multiple is cut out of a longer range.
    const std::size_t slack = multiple > page ? multiple : 0;
    bool refused = false;
    while (base_ == nullptr) {
        const auto asked = detail::checked_add(bytes, slack);
        reserved_ = asked ? static_cast<std::byte*>(platform::reserve(*asked, page)) : nullptr;
        if (asked && reserved_ == nullptr && !refused) { // what waits there may be what lacks here
            page_source().trim();
            reserved_ = static_cast<std::byte*>(platform::reserve(*asked, page));
        }
        if (reserved_ != nullptr) {
            reserved_bytes_ = *asked;
            base_ = reserved_ + padding_for(reserved_ + before, multiple);
        } else {
            if (bytes == *least)
                return false;
            refused = true;
            // A limit on addresses (ulimit -v) is not known beforehand: halves are tried down to
            // the request.
            bytes = std::max(align_up(bytes / 2, page), *least);
        }
    }
    if (refused)
        linear_.capacity_ = bytes;
    linear_.begin_ = linear_.top_ = linear_.limit_ = linear_.floor_ = base_;
    return true;
}

// Called where nothing is reserved yet or the request does not fit in what is committed.
bool growing_linear_resource::make_room(std::size_t count, std::size_t alignment) noexcept {
    const bool is_new = base_ == nullptr;
    if (is_new && !reserve(count, alignment))
        return false;
    const std::size_t used = linear_.in_use();
    const std::size_t padding = padding_for(linear_.top_, alignment);
    if (padding <= linear_.capacity_ - used && count <= linear_.capacity_ - used - padding &&
        commit(used + padding + count))
        return true;
    // Addresses that do not serve their first request serve none: they go back, and the next
    // request begins anew.
    if (is_new)
        release();
    return false;
}

// Commits at least `needed` bytes, and some ahead.
bool growing_linear_resource::commit(std::size_t needed) noexcept {
    const std::size_t page = platform::page_bytes();
    const std::size_t reserved = align_up(linear_.capacity_, page);
    const std::size_t step = std::clamp(committed_, first_step, largest_step);
    // Twice what there is, within the bounds of a step.
    std::size_t wanted = std::min(whole_pages(std::max(needed, committed_ + step)), reserved);
    if (!platform::commit(base_ + committed_, wanted - committed_)) {
        // Where memory is short the step ahead may be what is refused.
        wanted = align_up(needed, page);
        if (!platform::commit(base_ + committed_, wanted - committed_))
            return false;
    }
    if (options_.huge == huge_pages::never) {
        platform::advise_huge(base_ + committed_, wanted - committed_, false);
    } else if (platform::huge_page_bytes() == huge_bytes()) {
        const std::size_t small = options_.huge == huge_pages::always ? 0 : small_bytes();
        const std::size_t first = std::max(committed_, small);
        if (wanted > first)
            platform::advise_huge(base_ + first, wanted - first, true);
    }
    detail::poison::no_access(base_ + committed_, wanted - committed_);
    committed_ = wanted;
    linear_.limit_ = base_ + std::min(wanted, linear_.capacity_);
    return true;
}

// Before the first huge page.
std::size_t growing_linear_resource::small_bytes() const noexcept {
    return padding_for(base_, huge_bytes());
}

// At least so many bytes from the base: to the end of a huge page, where there are such.
std::size_t growing_linear_resource::whole_pages(std::size_t bytes) const noexcept {
    const std::size_t small = small_bytes();
    return bytes > small ? small + align_up(bytes - small, huge_bytes())
                         : align_up(bytes, first_step);
}

// Gives back what is committed above `kept` bytes.
void growing_linear_resource::decommit(std::size_t kept) noexcept {
    if (kept >= committed_)
        return;
    detail::poison::undefined(base_ + kept, committed_ - kept);
    // Addresses stay reserved, so that the region can grow there again.
    platform::decommit(base_ + kept, committed_ - kept);
    committed_ = kept;
    linear_.limit_ = base_ + std::min(kept, linear_.capacity_);
}

void growing_linear_resource::emptied() noexcept {
    const std::size_t round = linear_.high_water_;
    linear_.earlier_high_water_ = std::max(linear_.earlier_high_water_, round);
    // Each round has its own peak; earlier_high_water_ keeps the highest of all.
    linear_.high_water_ = 0;
    if (keeps_nothing_) {
        release();
        return;
    }
    window_bytes_ = std::max(window_bytes_, round);
    if (++rounds_ == rounds_of_a_window) {
        rounds_ = 0;
        window_before_bytes_ = window_bytes_;
        window_bytes_ = 0;
    }
    const std::size_t kept = whole_pages(std::max(window_bytes_, window_before_bytes_));
    // Little more than what is kept stays: to return it and ask again would cost more than it
    // holds.
    if (committed_ > kept + std::max(huge_bytes(), std::min(kept, largest_step)))
        decommit(kept);
}

void growing_linear_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = linear_.enter();
    if (base_ == nullptr)
        return;
    if (linear_.in_use() == 0)
        release();
    else
        decommit(align_up(linear_.in_use(), platform::page_bytes()));
}

void growing_linear_resource::release() noexcept {
    if (base_ == nullptr)
        return;
    linear_.high_water_ = linear_.recent_high_water();
    linear_.begin_ = linear_.top_ = linear_.limit_ = linear_.floor_ = nullptr;
    linear_.before_latest_ = linear_.hole_begin_ = linear_.hole_end_ = nullptr;
    detail::poison::undefined(base_, committed_);
    platform::release(reserved_, reserved_bytes_);
    base_ = reserved_ = nullptr;
    reserved_bytes_ = 0;
    committed_ = 0;
    linear_.capacity_ = asked_bytes_; // more may be granted the next time
}

void growing_linear_resource::list_regions(region_sink& sink) const {
    linear_.list_regions(sink);
    if (base_ != nullptr && linear_.limit_ != base_ + linear_.capacity_)
        sink.add({linear_.limit_,
                  static_cast<std::size_t>(base_ + linear_.capacity_ - linear_.limit_),
                  region_state::untouched});
}

} // namespace ARENITE_ABI
} // namespace arenite
