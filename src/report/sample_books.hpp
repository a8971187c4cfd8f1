// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/call_stack.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/report/detail/sample_table.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Probability that so many bytes are sampled: 1 - exp(-bytes / every).
[[nodiscard]] double chance_of_sample(std::size_t bytes, std::size_t every) noexcept;

/// An array of the page source that grows, of zeros; release() frees it.
///
/// It has no destructor: the books last until the process has ended, as static objects may free
/// samples in their destructors.
template <class T>
class page_array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Keeps what is there; false, and all stays as it is, where there is no memory.
    [[nodiscard]] bool grow(std::size_t capacity) noexcept {
        void* const p = page_source().try_allocate(capacity * sizeof(T), alignof(T));
        if (p == nullptr)
            return false;
        if (data_ != nullptr) {
            std::memcpy(p, data_, capacity_ * sizeof(T));
            page_source().deallocate(data_, capacity_ * sizeof(T), alignof(T));
        }
        data_ = static_cast<T*>(p);
        std::memset(static_cast<void*>(data_ + capacity_), 0, (capacity - capacity_) * sizeof(T));
        capacity_ = capacity;
        return true;
    }

    [[nodiscard]] bool grow_to(std::size_t least) noexcept {
        return least <= capacity_ || grow(least);
    }

    void swap(page_array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

    void release() noexcept {
        if (data_ != nullptr)
            page_source().deallocate(data_, capacity_ * sizeof(T), alignof(T));
        data_ = nullptr;
        capacity_ = 0;
    }

private:
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

struct live_sample {
    std::uintptr_t address; ///< 0: a free place of the table
    std::size_t bytes;
    double objects; ///< that it stands for
    std::uint32_t owner;
    std::uint32_t site;
};

struct sample_site {
    call_stack stack;
    std::uint32_t tag;
    /// Kept, so that a larger index is made without reading the stacks again.
    std::uint32_t hash;
    double allocated_bytes;
};

struct sample_tag {
    char name[64]; ///< cut, if it is longer
};

/// The samples of the process. Whoever uses them holds their lock, and allocates nothing meanwhile
/// that may be sampled.
class sample_books {
public:
    [[nodiscard]] static sample_books& of_process() noexcept;
    using lock_type = fork_lock<std::mutex>;
    [[nodiscard]] static lock_type& lock() noexcept {
        return process_lock<std::mutex, sample_books>();
    }

    /// A sample, which stands for so many objects. It is left out where there is no memory for it.
    void add(std::string_view tag, std::atomic<std::uint32_t>& owner, const void* p,
             std::size_t bytes, double objects, const call_stack& stack) noexcept;
    /// Nothing happens where p is no sample: the filters may let it pass.
    void remove(const void* p) noexcept;
    /// Looks at the whole table.
    void remove_all(std::uint32_t owner) noexcept;
    [[nodiscard]] live_sample* find(const void* p) const noexcept;

    [[nodiscard]] std::size_t live() const noexcept { return live_; }
    [[nodiscard]] std::size_t site_count() const noexcept { return site_count_; }
    [[nodiscard]] std::size_t tag_count() const noexcept { return tag_count_; }
    [[nodiscard]] const sample_site& site(std::size_t i) const noexcept { return sites_[i]; }
    [[nodiscard]] const sample_tag& tag(std::size_t i) const noexcept { return tags_[i]; }
    /// False: the large filter knows that p is no sample. Without the lock.
    [[nodiscard]] static bool may_have(const void* p) noexcept;
    /// All live ones, to a place for live().
    void copy_live(live_sample* to) const noexcept;

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    [[nodiscard]] std::uint32_t tag_of(std::string_view name) noexcept;
    [[nodiscard]] std::uint32_t site_of(std::uint32_t tag, const call_stack& stack) noexcept;
    [[nodiscard]] std::size_t place_of(std::uintptr_t address) const noexcept;
    [[nodiscard]] bool grow_table() noexcept;
    void grow_filter() noexcept;
    static void set_bit(const void* p) noexcept;
    void set_bits_anew() noexcept;
    void close_gap(std::size_t at) noexcept;

    page_array<live_sample> table_; ///< open addressing, at most half full
    std::size_t live_ = 0;
    std::size_t stale_bits_ = 0; ///< of the filters, at most
    page_array<sample_site> sites_;
    std::uint32_t site_count_ = 0;
    page_array<std::uint32_t> site_index_; ///< by hash: a site's number + 1; 0: free
    page_array<sample_tag> tags_;
    std::uint32_t tag_count_ = 0;
    std::uint32_t owner_count_ = 0;
    page_array<std::uint64_t> wanted_; ///< words of the large filter, while they are set anew
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
