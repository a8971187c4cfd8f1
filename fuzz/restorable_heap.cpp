// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a restorable_heap beside a map of what is alive: snapshots are taken,
// restored in any order, written to files and read, and forgotten; another heap at the same address
// may take the place of this one. The first byte chooses the size of the heap.

#include <arenite/core/alignment.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/pattern.hpp"
#include "support/sources.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace arenite;
using support::below;
using support::byte_source;
using support::pattern;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "restorable_heap: %s\n", what);
    std::abort();
}

class program {
public:
    program(byte_source source, std::size_t bytes)
        : source_{source}, heap_{std::in_place, nullptr, bytes} {
        if (heap_->address() == nullptr || *heap_->why_refused() != '\0')
            fail("no heap");
    }

    void run() {
        while (source_.more())
            one();
        check();
        for (auto next = now_.live.begin(); next != now_.live.end();)
            next = free_at(next);
        if (heap_->usage().bytes_in_use != 0)
            fail("in use when nothing lives");
        for (std::size_t i = 0; i < saved_.size(); ++i) // they are as they were
            restore(i);
    }

private:
    struct piece {
        std::size_t bytes;
        std::size_t alignment;
        std::uint64_t id;
    };
    using pieces = std::map<std::uintptr_t, piece>;

    struct state {
        pieces live;
        void* root = nullptr;
    };

    void one() {
        const std::uint8_t what = source_.byte();
        if (what < 110)
            return allocate();
        if (what < 170)
            return static_cast<void>(now_.live.empty() ? now_.live.end() : free_at(some()));
        if (what < 190) {
            if (!now_.live.empty())
                write(some());
            return;
        }
        if (what < 215)
            return take();
        if (what < 240)
            return saved_.empty() ? void() : restore(below(source_, saved_.size()));
        if (what < 244)
            return saved_.empty() ? void() : through_a_file(below(source_, saved_.size()));
        if (what < 248 && !saved_.empty()) {
            saved_.erase(saved_.begin() +
                         static_cast<std::ptrdiff_t>(below(source_, saved_.size())));
            return;
        }
        if (what < 250)
            return start_again();
        if (what < 252) {
            now_.root = now_.live.empty() ? nullptr : at(some());
            heap_->set_root(now_.root);
            return;
        }
        check();
    }

    static void* at(pieces::iterator x) { return reinterpret_cast<void*>(x->first); } // NOLINT

    pieces::iterator some() {
        return std::next(now_.live.begin(),
                         static_cast<std::ptrdiff_t>(below(source_, now_.live.size())));
    }

    void allocate() {
        const std::uint8_t kind = source_.byte();
        const std::size_t bytes = kind < 180   ? source_.byte()
                                  : kind < 250 ? below(source_, 9000)
                                               : below(source_, heap_->capacity() * 2);
        const std::size_t alignment = std::size_t{1} << (kind % 8 == 0 ? source_.byte() % 14 : 3);
        void* const p = heap_->try_allocate(bytes, alignment);
        if (p == nullptr)
            return;
        if (!is_aligned(p, alignment) || !heap_->owns(p))
            fail("not aligned, or of another heap");
        const auto [x, fresh] = now_.live.emplace(address_of(p), piece{bytes, alignment, 0});
        if (!fresh || (std::next(x) != now_.live.end() && x->first + bytes > std::next(x)->first) ||
            (x != now_.live.begin() && std::prev(x)->first + std::prev(x)->second.bytes > x->first))
            fail("it overlaps another");
        write(x);
    }
    void write(pieces::iterator x) {
        x->second.id = ++next_id_;
        pattern{x->second.id}.write(at(x), x->second.bytes);
    }
    pieces::iterator free_at(pieces::iterator x) {
        if (!pattern{x->second.id}.holds(at(x), x->second.bytes))
            fail("an object was overwritten");
        heap_->deallocate(at(x), x->second.bytes, x->second.alignment);
        return now_.live.erase(x);
    }

    void take() {
        if (saved_.size() == 8)
            saved_.erase(saved_.begin());
        heap_snapshot s = heap_->take();
        if (!s || s.address() != address_of(heap_->address()) || s.bytes() != heap_->capacity() ||
            s.own_page_count() > s.page_count())
            fail("a snapshot is not of this heap");
        saved_.emplace_back(std::move(s), now_);
    }
    void restore(std::size_t i) {
        if (!heap_->restore(saved_[i].first))
            fail("a snapshot of this heap is refused");
        now_ = saved_[i].second;
        check();
    }
    void through_a_file(std::size_t i) {
        const std::string path = "/tmp/arenite_fuzz_restorable_heap_" + std::to_string(::getpid());
        if (!saved_[i].first.write(path.c_str()))
            fail("a snapshot is not written");
        heap_snapshot s = heap_snapshot::read(path.c_str());
        std::remove(path.c_str());
        if (!s || s.page_count() != saved_[i].first.page_count())
            fail("a snapshot is not read as it was written");
        saved_[i].first = std::move(s);
    }
    /// The heap of another process, so to speak: nothing lives, and only snapshots bring it back.
    void start_again() {
        void* const address = heap_->address();
        const std::size_t bytes = heap_->capacity();
        heap_.reset();
        heap_.emplace(address, bytes);
        if (heap_->address() != address)
            fail("no heap where one was");
        now_ = {};
        check();
    }

    void check() {
        std::size_t sum = 0;
        for (auto x = now_.live.begin(); x != now_.live.end(); ++x) {
            if (!pattern{x->second.id}.holds(at(x), x->second.bytes))
                fail("an object is not as it was");
            sum += x->second.bytes;
        }
        const usage u = heap_->usage();
        if (u.bytes_in_use < sum || u.live_allocations != now_.live.size())
            fail("usage tells of something else than there is");
        if (heap_->root<void>() != now_.root)
            fail("the root is another");
        if (memory_map{*heap_}.overlapping() != 0)
            fail("regions overlap");
    }

    byte_source source_;
    std::optional<restorable_heap> heap_;
    state now_;
    std::vector<std::pair<heap_snapshot, state>> saved_;
    std::uint64_t next_id_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    program{byte_source{data + 1, size - 1}, (data[0] % 16 + std::size_t{2}) << 14}.run();
    return 0;
}
