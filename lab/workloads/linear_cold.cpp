// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// linear/cold: what memory costs that nobody has touched: blocks of 256 bytes, the first 8 bytes of
// each written, until so many MiB are in use. Only a process's first pass is that; in later ones
// memory is there, where the subject has kept it.
//
// "fill" is all of it. Beside it stand the same writes to a fresh mapping of the system's, without
// any allocator: "touch, 4k pages" and "touch, huge pages" (the system is asked for them). What
// "fill" has above the one of its kind is the allocator's.

namespace arenite::lab {
namespace {

constexpr std::size_t block_bytes = 256;

struct linear_cold {
    static workload_info info() {
        return {.name = "linear/cold",
                .summary = "blocks of 256 bytes in memory that nobody has touched",
                .parameters = {{.name = "mib",
                                .defaults = {"16", "256"},
                                .summary = "MiB of blocks",
                                .least = 1,
                                .most = 4096,
                                .short_values = {"64"}}},
                .warm_passes = 1,
                .short_warm_passes = 1,
                .ours = "arenite.growing",
                .subjects = {"arenite.growing", "arenite.growing-4k", "arenite.linear", "std",
                             "mimalloc", "mimalloc-4k", "jemalloc", "tcmalloc"},
                .short_subjects = {"arenite.growing", "arenite.linear", "mimalloc"},
                .touches = [](const parameter_values& values) {
                    return std::stoull(values.at("mib")) << 21;
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_at_once<S> || a_heap<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : bytes_{static_cast<std::size_t>(t.integer("mib")) << 20},
              blocks_{bytes_ / block_bytes} {
            if constexpr (frees_at_once<S>)
                heap_.prepare(bytes_ + block_bytes);
        }

        void pass(turn& t) {
            const stopwatch clock;
            for (std::size_t i = 0; i < blocks_.size(); ++i) {
                auto* const p =
                    static_cast<std::uint64_t*>(heap_.allocate(block_bytes, alignof(void*)));
                *p = i;
                opaque(p);
                blocks_[i] = p;
            }
            t.record("fill", "ns/KiB", per_kib(clock.nanoseconds()));

            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < blocks_.size(); ++i)
                sum += *blocks_[i] ^ i;
            t.checksum(sum);
            if constexpr (frees_at_once<S>) {
                heap_.reset();
            } else {
                for (std::size_t i = 0; i < blocks_.size(); ++i)
                    heap_.deallocate(blocks_[i], block_bytes, alignof(void*));
            }
            touch(t, "touch, 4k pages", false);
            touch(t, "touch, huge pages", true);
        }

    private:
        [[nodiscard]] double per_kib(double nanoseconds) const {
            return nanoseconds / (static_cast<double>(bytes_) / 1024);
        }

        void touch([[maybe_unused]] turn& t, [[maybe_unused]] const char* metric,
                   [[maybe_unused]] bool huge) {
#if defined(__linux__)
            constexpr std::size_t largest_page = std::size_t{2} << 20;
            const stopwatch clock;
            void* const whole = ::mmap(nullptr, bytes_ + largest_page, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (whole == MAP_FAILED)
                return;
            const auto address = reinterpret_cast<std::uintptr_t>(whole);
            auto* const p = static_cast<std::byte*>(whole) + (0 - address) % largest_page;
            ::madvise(p, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
            for (std::size_t i = 0; i < blocks_.size(); ++i) {
                auto* const block = reinterpret_cast<std::uint64_t*>(p + i * block_bytes);
                *block = i;
                opaque(block);
                blocks_[i] = block;
            }
            t.note(metric, "ns/KiB", per_kib(clock.nanoseconds()));
            ::munmap(whole, bytes_ + largest_page);
#endif
        }

        S heap_;
        std::size_t bytes_;
        reserved<std::uint64_t*> blocks_;
    };
};

ARENITE_LAB_WORKLOAD(linear_cold);

} // namespace
} // namespace arenite::lab
