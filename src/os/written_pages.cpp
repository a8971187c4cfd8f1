// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which pages were written: by userfaultfd and its scan of the page tables where Linux has both;
// elsewhere watch() is false. Pages are registered for write protection with a kernel that lifts it
// by itself at the first write (async), so no thread has to answer faults. A scan then lists the
// pages without protection and protects them again in one call. Headers may be older than the
// kernel, so the structures and numbers stand here; a kernel that lacks something refuses a call,
// and watch() is false.
#include <arenite/os/detail/written_pages.hpp>

#include <arenite/core/system_resource.hpp>

#include "errno_kept.hpp"

#include <algorithm>

#if defined(__linux__) && defined(__LP64__) && __has_include(<linux/userfaultfd.h>)
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

void written_pages::end() noexcept {
    if (bits_ == nullptr)
        return;
#if defined(SYS_userfaultfd) && defined(UFFDIO_WRITEPROTECT)
    ::close(fault_file_); // with it the marks end
#endif
    system_resource().deallocate(bits_, (bytes_ / page_bytes + 63) / 64 * sizeof(std::uint64_t),
                                 alignof(std::uint64_t));
    bits_ = nullptr;
}

#if defined(SYS_userfaultfd) && defined(UFFDIO_WRITEPROTECT)

namespace {

// The kernel has these since 6.7: headers of the system may be older than it is.
constexpr int user_mode_only = 1;
constexpr std::uint64_t feature_unpopulated = std::uint64_t{1} << 13;
constexpr std::uint64_t feature_async = std::uint64_t{1} << 15;

struct scanned_range {
    std::uint64_t begin, end, categories;
};
struct page_scan {
    std::uint64_t size, flags, begin, end, walked, ranges, range_count, most_pages;
    std::uint64_t inverted, mask, any_of, returned;
};
constexpr unsigned long scan_pages = _IOWR('f', 16, page_scan);
constexpr std::uint64_t scan_protects = 1, scan_checks = 2; // marks are reset; refuse other ranges
constexpr std::uint64_t category_written = 2;

} // namespace

bool written_pages::watch(void* begin, std::size_t bytes) noexcept {
    const errno_kept keep;
    end();
    const auto file =
        static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only));
    if (file < 0)
        return false;
    uffdio_api api{};
    api.api = UFFD_API;
    api.features = feature_unpopulated | feature_async;
    uffdio_register range{};
    range.range.start = reinterpret_cast<std::uintptr_t>(begin);
    range.range.len = bytes;
    range.mode = UFFDIO_REGISTER_MODE_WP;
    void* const bits =
        ::ioctl(file, UFFDIO_API, &api) == 0 && ::ioctl(file, UFFDIO_REGISTER, &range) == 0
            ? system_resource().try_allocate((bytes / page_bytes + 63) / 64 * sizeof(std::uint64_t),
                                             alignof(std::uint64_t))
            : nullptr;
    if (bits == nullptr) {
        ::close(file);
        return false;
    }
    bits_ = static_cast<std::uint64_t*>(bits);
    begin_ = static_cast<std::byte*>(begin);
    bytes_ = bytes;
    fault_file_ = file;
    // Until the first collect() every page counts as written.
    std::fill_n(bits_, (bytes / page_bytes + 63) / 64, ~std::uint64_t{0});
    return true;
}

bool written_pages::collect() noexcept {
    if (bits_ == nullptr)
        return false;
    const errno_kept keep;
    // Not kept open: in the child of a fork it would be the parent's.
    const int pages = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pages < 0)
        return false;
    std::fill_n(bits_, (bytes_ / page_bytes + 63) / 64, std::uint64_t{0});
    const auto base = reinterpret_cast<std::uintptr_t>(begin_);
    scanned_range ranges[64];
    page_scan scan{};
    scan.size = sizeof scan;
    scan.flags = scan_protects | scan_checks;
    scan.begin = base;
    scan.end = base + bytes_;
    scan.ranges = reinterpret_cast<std::uintptr_t>(ranges);
    scan.range_count = std::size(ranges);
    scan.mask = scan.returned = category_written;
    while (scan.begin < scan.end) {
        const int found = ::ioctl(pages, scan_pages, &scan);
        // No progress would be a loop without end.
        if (found < 0 || scan.walked <= scan.begin) {
            ::close(pages);
            return false;
        }
        for (int r = 0; r < found; ++r)
            for (std::uint64_t at = ranges[r].begin; at < ranges[r].end; at += page_bytes)
                bits_[(at - base) / page_bytes / 64] |= std::uint64_t{1}
                                                        << (at - base) / page_bytes % 64;
        scan.begin = scan.walked;
    }
    ::close(pages);
    return true;
}

#else

bool written_pages::watch(void*, std::size_t) noexcept { return false; }
bool written_pages::collect() noexcept { return false; }

#endif

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
