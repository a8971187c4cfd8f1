// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#else
#include <memory>
#endif

namespace arenite::lab {

/// The workload's own array: memory straight from the system, zero, resident from the start, so
/// that it neither disturbs the measured malloc nor counts as the subject's.
template <class T>
    requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class reserved {
public:
    explicit reserved(std::size_t count) : count_{count} {
#if defined(__linux__)
        void* p =
            ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            throw std::bad_alloc{};
#else
        void* p = ::operator new(bytes());
#endif
        std::memset(p, 0, bytes());
        data_ = static_cast<T*>(p);
    }

    ~reserved() {
#if defined(__linux__)
        ::munmap(data_, bytes());
#else
        ::operator delete(data_);
#endif
    }

    reserved(const reserved&) = delete;
    reserved& operator=(const reserved&) = delete;

    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] T* begin() noexcept { return data_; }
    [[nodiscard]] T* end() noexcept { return data_ + count_; }
    [[nodiscard]] const T* begin() const noexcept { return data_; }
    [[nodiscard]] const T* end() const noexcept { return data_ + count_; }

private:
    [[nodiscard]] std::size_t bytes() const noexcept {
        return (count_ == 0 ? 1 : count_) * sizeof(T);
    }

    T* data_;
    std::size_t count_;
};

} // namespace arenite::lab
