// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a restorable_heap beside a map of what is alive: snapshots are taken,
// restored in any order, written to files and read, and forgotten; another heap at the same address
// may take the place of this one. The first byte chooses the size of the heap.

#include <arenite/core/alignment.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace arenite;
using support::live_piece;

namespace {

class program final : public support::memory_driver {
public:
    explicit program(std::size_t bytes) : heap_{std::in_place, nullptr, bytes} {
        if (heap_->address() == nullptr || *heap_->why_refused() != '\0')
            wrong("no heap");
    }

private:
    struct state {
        support::live_pieces live;
        void* root = nullptr;
    };

    void end() override {
        look();
        while (some_live())
            free_at(live_.size() - 1);
        if (heap_->usage().bytes_in_use != 0)
            wrong("in use when nothing lives");
        for (std::size_t i = 0; i < saved_.size(); ++i) // they are as they were
            restore(i);
    }

    void one(support::decisions&) override {
        const std::uint8_t what = byte();
        if (what < 110)
            return allocate();
        if (what < 170)
            return free_at(below(live_.size()));
        if (what < 190) {
            if (!live_.empty())
                fill(below(live_.size()));
            return;
        }
        if (what < 215)
            return save();
        if (what < 240)
            return saved_.empty() ? void() : restore(below(saved_.size()));
        if (what < 244)
            return saved_.empty() ? void() : through_a_file(below(saved_.size()));
        if (what < 248 && !saved_.empty()) {
            saved_.erase(saved_.begin() + static_cast<std::ptrdiff_t>(below(saved_.size())));
            return;
        }
        if (what < 250)
            return start_again();
        if (what < 252) {
            root_ = live_.empty() ? nullptr : live_[below(live_.size())].p;
            heap_->set_root(root_);
            return;
        }
        look();
    }

    void allocate() {
        const std::uint8_t kind = byte();
        const std::size_t bytes = kind < 180   ? byte()
                                  : kind < 250 ? below(9000)
                                               : below(heap_->capacity() * 2);
        const std::size_t alignment = std::size_t{1} << (kind % 8 == 0 ? byte() % 14 : 3);
        void* const p = heap_->try_allocate(bytes, alignment);
        if (p == nullptr)
            return;
        if (!heap_->owns(p))
            wrong("memory of another heap");
        add(p, bytes, alignment);
    }
    void free_at(std::size_t i) {
        if (i >= live_.size())
            return;
        const live_piece x = take(i);
        heap_->deallocate(x.p, x.bytes, x.alignment);
    }

    void save() {
        if (saved_.size() == 8)
            saved_.erase(saved_.begin());
        heap_snapshot s = heap_->take();
        if (!s || s.address() != address_of(heap_->address()) || s.bytes() != heap_->capacity() ||
            s.own_page_count() > s.page_count())
            wrong("a snapshot is not of this heap");
        saved_.emplace_back(std::move(s), state{live_, root_});
    }
    void restore(std::size_t i) {
        if (!heap_->restore(saved_[i].first))
            wrong("a snapshot of this heap is refused");
        live_ = saved_[i].second.live;
        root_ = saved_[i].second.root;
        look();
    }
    void through_a_file(std::size_t i) {
        const std::string path = "/tmp/arenite_fuzz_restorable_heap_" + std::to_string(::getpid());
        if (!saved_[i].first.write(path.c_str()))
            wrong("a snapshot is not written");
        heap_snapshot s = heap_snapshot::read(path.c_str());
        std::remove(path.c_str());
        if (!s || s.page_count() != saved_[i].first.page_count())
            wrong("a snapshot is not read as it was written");
        saved_[i].first = std::move(s);
    }
    /// The heap of another process, so to speak: nothing lives, and only snapshots bring it back.
    void start_again() {
        void* const address = heap_->address();
        const std::size_t bytes = heap_->capacity();
        heap_.reset();
        heap_.emplace(address, bytes);
        if (heap_->address() != address)
            wrong("no heap where one was");
        live_ = {};
        root_ = nullptr;
        look();
    }

    void look() {
        check_all();
        check_usage(heap_->usage());
        if (heap_->root<void>() != root_)
            wrong("the root is another");
        if (memory_map{*heap_}.overlapping() != 0)
            wrong("regions overlap");
    }

    std::optional<restorable_heap> heap_;
    void* root_ = nullptr;
    std::vector<std::pair<heap_snapshot, state>> saved_;
};

} // namespace

std::string run(support::byte_source& source) {
    return program{(source.byte() % 16 + std::size_t{2}) << 14}.run(source);
}
