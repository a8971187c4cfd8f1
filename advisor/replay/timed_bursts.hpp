// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "prepared.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <time.h>

namespace arenite::replay {

constexpr std::size_t line_bytes = 64, page_bytes = 4096;

[[noreturn]] inline void give_up(const char* why) {
    std::fprintf(stderr, "arenite-replay: %s\n", why);
    std::exit(1);
}

/// Memory of the system that is there at once.
inline void* fresh(std::size_t bytes) {
    void* p = ::mmap(nullptr, bytes == 0 ? 1 : bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p == MAP_FAILED)
        give_up("no memory");
    return p;
}

inline double cpu_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

inline double wall_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

/// A recorded object, where it lies in this process.
struct object {
    char* p;
    std::uint32_t bytes;
    std::uint32_t reserved; ///< bytes there, for all its chain of copies; 0: its own
    std::uint8_t group, log2_alignment;
};

/// The accesses of bursts at the places that the objects have here. Each waits for the one that
/// loaded its address, as in the program. Neither a cache nor the translation of addresses knows
/// them.
class timed_bursts {
public:
    timed_bursts(const prepared_head& head, const std::uint32_t* slots) : left_{head.bursts} {
        const std::uint64_t births = head.births[points];
        bursts_ = reinterpret_cast<const prepared_burst*>(slots + births + births % 2);
        accesses_ = reinterpret_cast<const prepared_access*>(bursts_ + head.bursts);
        if (left_ == 0)
            return;
        places_ = static_cast<place*>(fresh(head.accesses * sizeof(place)));
        path_ = static_cast<const char**>(fresh(head.accesses * sizeof(char*)));
        took_ = static_cast<double*>(fresh(head.bursts * sizeof(double)));
        elsewhere_ = static_cast<char*>(fresh(evicting_bytes));
        reference_ = static_cast<char*>(fresh(reference_bytes));
    }

    /// After how many events the next comes.
    [[nodiscard]] std::uint64_t next() const noexcept {
        return left_ == 0 ? UINT64_MAX : bursts_->after;
    }
    [[nodiscard]] double ns_an_access() const noexcept { return timed_ == 0 ? 0 : ns_ / timed_; }

    /// The time of accesses that wait for each other as those of the bursts do, at places that no
    /// allocator chooses: how fast memory is while this process runs.
    [[nodiscard]] double reference_ns() const noexcept { return reference_ns_; }

    /// Calls f with each address that the burst with the most accesses used.
    template <class F>
    void each_of_path(F f) const {
        for (std::uint32_t i = 0; i < path_length_; ++i)
            f(path_[i]);
    }

    /// Calls f with the ns of each burst.
    template <class F>
    void each_time(F f) const {
        for (std::uint64_t i = 0; i < done_; ++i)
            f(took_[i]);
    }

    void time_next(const object* objects) {
        const prepared_burst& b = *bursts_++;
        --left_;
        for (std::uint32_t i = 0; i < b.count; ++i) {
            const prepared_access& a = accesses_[b.first + i];
            const object& o = objects[a.slot];
            // Where an object is shorter than it was, its first byte stands for it.
            const char* const p = o.p == nullptr ? elsewhere_ : o.p;
            places_[i] = {p + (o.p != nullptr && a.offset < o.bytes ? a.offset : 0), 0,
                          a.waits_for == 0 ? i : a.waits_for - 1};
        }
        if (b.count > path_length_) {
            path_length_ = b.count;
            for (std::uint32_t i = 0; i < b.count; ++i)
                path_[i] = places_[i].at;
        }
        took_[done_] = least_time(b.count);
        ns_ += took_[done_++];
        timed_ += double(b.count);
        for (std::uint32_t i = 0; i < b.count; ++i)
            places_[i].at = reference_ + i * std::size_t{2654435761} % reference_bytes;
        reference_ns_ += least_time(b.count);
    }

private:
    static constexpr std::size_t evicting_bytes = std::size_t{32} << 20;
    /// The least counts: whatever else the machine does only adds.
    static constexpr int times_each = 3;

    static constexpr std::size_t reference_bytes = std::size_t{16} << 20;

    struct place {
        const char* at;
        std::uintptr_t read;   ///< what was found there
        std::size_t waits_for; ///< another, or itself
    };

    double least_time(std::uint32_t count) {
        double least = timed(count);
        for (int again = 1; again < times_each; ++again)
            least = std::min(least, timed(count));
        return least;
    }

    /// By the monotonic clock, which is read without a system call: one costs as much as some tens
    /// of accesses, and after the eviction much more than that.
    double timed(std::uint32_t count) {
        evict(count);
        const volatile std::uintptr_t nothing = 0;
        const std::uintptr_t zero = nothing;
        const double before = wall_ns();
        for (std::uint32_t i = 0; i < count; ++i) {
            place& now = places_[i];
            now.read = static_cast<unsigned char>(
                *static_cast<const volatile char*>(now.at + (places_[now.waits_for].read & zero)));
        }
        for (std::uint32_t i = 0; i < count; ++i)
            sum_ += static_cast<long>(places_[i].read); // all of them have come
        const double took = wall_ns() - before;
        const volatile long read = sum_;
        (void)read;
        return took;
    }

    /// Lines first: to flush one asks for the translation of its address, and that would then be
    /// known.
    void evict(std::uint32_t count) {
#if defined(__x86_64__)
        for (std::uint32_t i = 0; i < count; ++i)
            __builtin_ia32_clflush(places_[i].at);
        __builtin_ia32_mfence();
#else
        (void)count;
        for (std::size_t at = 0; at < evicting_bytes; at += line_bytes)
            sum_ += elsewhere_[at];
#endif
        for (std::size_t at = 0; at < evicting_bytes; at += page_bytes + line_bytes)
            sum_ += elsewhere_[at];
    }

    const prepared_burst* bursts_;
    const prepared_access* accesses_;
    std::uint64_t left_, done_ = 0;
    double* took_ = nullptr;  ///< ns, by burst
    place* places_ = nullptr; ///< of a burst
    const char** path_ = nullptr;
    std::uint32_t path_length_ = 0;
    char* elsewhere_ = nullptr; ///< what is read so that caches forget the rest
    char* reference_ = nullptr;
    double ns_ = 0, timed_ = 0, reference_ns_ = 0;
    long sum_ = 0;
};

} // namespace arenite::replay
