// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// snapshot/undo: a heap is saved in memory and restored, as an undo or a rollback does.
//
// `mib` MiB of objects of 64 bytes; `changed` percent of their pages are written to, one object
// each, and a snapshot is taken (`take`); they are written to again, and it is restored
// (`restore`). `copied` is what the snapshot has for itself, `written` what those pages are.

namespace arenite::lab {
namespace {

struct snapshot_undo {
    static workload_info info() {
        return {.name = "snapshot/undo",
                .summary = "a heap is saved and restored after some of its pages changed",
                .parameters = {{.name = "mib",
                                .defaults = {"64"},
                                .summary = "MiB of objects",
                                .least = 1,
                                .most = 512},
                               {.name = "changed",
                                .defaults = {"0", "1", "10", "100"},
                                .summary = "percent of the pages",
                                .least = 0,
                                .most = 100}},
                .warm_passes = 3,
                .in_short = false,
                .ours = "arenite.restorable",
                .subjects = {"arenite.restorable", "copy-all"},
                .touches = [](const parameter_values& values) {
                    return static_cast<std::size_t>(std::stoll(values.at("mib"))) * 3 << 20;
                }};
    }

    template <class S>
    static constexpr bool accepts = takes_snapshots<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{(static_cast<std::size_t>(t.integer("mib")) << 20) / object_bytes},
              changed_{static_cast<std::size_t>(t.integer("changed"))}, objects_{count_} {
            for (std::size_t i = 0; i < count_; ++i) {
                objects_[i] = static_cast<std::uint64_t*>(heap_.allocate(object_bytes, 16));
                *objects_[i] = i;
            }
            heap_.take();
        }

        void pass(turn& t) {
            const std::size_t written = write();
            stopwatch taking;
            heap_.take();
            t.record("take", "us", taking.nanoseconds() / 1000);
            t.note("copied", "KiB", static_cast<double>(heap_.copied_bytes()) / 1024);
            t.note("written", "KiB", static_cast<double>(written * page_bytes) / 1024);
            const std::uint64_t before = sum();
            write();
            stopwatch restoring;
            heap_.restore();
            t.record("restore", "us", restoring.nanoseconds() / 1000);
            t.checksum(before == sum() ? count_ : 0); // each pass begins where the last one ended
        }

    private:
        static constexpr std::size_t object_bytes = 64, page_bytes = 4096;

        std::size_t write() {
            std::size_t pages = 0;
            for (std::size_t i = 0; i < count_; i += page_bytes / object_bytes) {
                if (i / (page_bytes / object_bytes) % 100 < changed_) {
                    *objects_[i] += 1;
                    ++pages;
                }
            }
            return pages;
        }
        [[nodiscard]] std::uint64_t sum() const {
            std::uint64_t all = 0;
            for (std::size_t i = 0; i < count_; i += page_bytes / object_bytes)
                all += *objects_[i] * (i + 1);
            return all;
        }

        S heap_;
        std::size_t count_;
        std::size_t changed_;
        reserved<std::uint64_t*> objects_;
    };
};

ARENITE_LAB_WORKLOAD(snapshot_undo);

} // namespace
} // namespace arenite::lab
