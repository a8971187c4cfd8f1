// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an offset_heap beside a map of what lies where in the blocks of its source,
// which refuses now and then. Lists of requests are reserved, and then come in any order. The first
// byte chooses granularity and budget, the second the blocks.

#include <arenite/offset/offset_heap.hpp>

#include "support/driver.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

/// Blocks of nothing but their numbers.
class device {
public:
    [[nodiscard]] offset_source source() {
        return {
            .get = [](std::uint64_t bytes, void* d) noexcept -> void* {
                return static_cast<device*>(d)->get(bytes);
            },
            .give_back = [](void* block, std::uint64_t bytes,
                            void* d) noexcept { static_cast<device*>(d)->give_back(block, bytes); },
            .user = this};
    }
    void set_room(std::uint64_t bytes) { room_ = bytes; }
    [[nodiscard]] std::size_t calls() const { return calls_; }
    [[nodiscard]] std::uint64_t held() const { return held_; }
    [[nodiscard]] std::uint64_t bytes_of(void* block) const {
        const auto at = blocks_.find(block);
        return at == blocks_.end() ? 0 : at->second;
    }
    [[nodiscard]] std::size_t count() const { return blocks_.size(); }
    [[nodiscard]] bool was_wronged() const { return wronged_; }

private:
    void* get(std::uint64_t bytes) {
        ++calls_;
        if (held_ + bytes > room_)
            return nullptr;
        held_ += bytes;
        void* const name = reinterpret_cast<void*>(++names_ * 16); // NOLINT
        blocks_.emplace(name, bytes);
        return name;
    }
    void give_back(void* block, std::uint64_t bytes) {
        const auto at = blocks_.find(block);
        if (at == blocks_.end() || at->second != bytes)
            wronged_ = true; // none, or of another size
        held_ -= bytes;
        blocks_.erase(at);
    }

    std::map<void*, std::uint64_t> blocks_;
    std::uint64_t room_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t held_ = 0;
    std::uintptr_t names_ = 0;
    std::size_t calls_ = 0;
    bool wronged_ = false;
};

class program final : public support::driver {
public:
    explicit program(const offset_heap_options& options)
        : heap_{device_.source(), options}, granularity_{options.parts.granularity} {}

private:
    void end() override {
        while (!live_.empty())
            free_at(live_.begin());
        heap_.trim();
        if (device_.count() != 0 || heap_.usage().bytes_in_use != 0)
            wrong("blocks are held when nothing lives");
    }

    struct piece {
        offset_allocation a;
        offset_kind kind;
    };
    using pieces = std::map<std::pair<void*, std::uint64_t>, piece>;

    void one(support::decisions&) override {
        work();
        check();
    }
    void work() {
        const std::uint8_t what = byte();
        if (what < 110)
            return static_cast<void>(allocate(some_bytes(), some_alignment(), byte()));
        if (what < 180)
            return live_.empty() ? void() : free_at(some());
        if (what < 200)
            return live_.empty() ? void() : resize(some());
        if (what < 225)
            return reserve();
        if (what < 230)
            return heap_.trim();
        if (what < 232)
            return heap_.fragmentation() < 0 || heap_.fragmentation() > 1
                       ? wrong("fragmentation is no share")
                       : void();
        if (what < 240)
            return device_.set_room(byte() < 100 ? std::numeric_limits<std::uint64_t>::max()
                                                 : device_.held() + below(5000));
        if (what < 246)
            return heap_.set_budget(byte() < 100 ? std::numeric_limits<std::uint64_t>::max()
                                                 : below(50'000));
        if (what < 250) // nonsense
            if (heap_.try_allocate(std::numeric_limits<std::uint64_t>::max() - byte()) ||
                heap_.why_refused() == offset_heap::refusal::none || heap_.try_allocate(1, 0))
                wrong("what cannot be is served");
    }

    std::uint64_t some_bytes() {
        const std::uint8_t kind = byte();
        return kind < 200 ? byte() : below(kind < 250 ? 3000 : 20'000);
    }
    std::uint64_t some_alignment() {
        constexpr std::uint64_t odd[] = {3, 12, 36, 20, 100, 4095};
        const std::uint8_t kind = byte();
        return kind < 100   ? 1
               : kind < 220 ? std::uint64_t{1} << kind % 13
                            : odd[kind % std::size(odd)];
    }
    pieces::iterator some() {
        return std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(live_.size())));
    }

    bool allocate(std::uint64_t bytes, std::uint64_t alignment, std::uint8_t bits) {
        const auto kind = bits % 4 == 0 ? offset_kind::optimal : offset_kind::linear;
        const auto end = bits / 4 % 2 == 0 ? offset_placement::low : offset_placement::high;
        const auto a = heap_.try_allocate(bytes, alignment, {.kind = kind, .placement = end});
        if (!a) {
            if (heap_.why_refused() == offset_heap::refusal::none)
                wrong("nothing says why there is none");
            return false;
        }
        if (a->offset % alignment != 0 || a->offset % granularity_ != 0 || a->bytes < bytes ||
            a->bytes >= bytes + granularity_ + (bytes == 0 ? 1 : 0))
            wrong("not aligned, or of another size");
        enter(*a, kind);
        return true;
    }
    void enter(const offset_allocation& a, offset_kind kind) {
        void* const block = heap_.block_of(a);
        if (a.offset + a.bytes > device_.bytes_of(block))
            wrong("it ends behind its block");
        const auto [x, fresh] = live_.emplace(std::pair{block, a.offset}, piece{a, kind});
        const auto next = std::next(x);
        if (!fresh || (next != live_.end() && next->first.first == block &&
                       a.offset + a.bytes > next->first.second))
            wrong("it overlaps the next");
        if (x != live_.begin() && std::prev(x)->first.first == block &&
            std::prev(x)->first.second + std::prev(x)->second.a.bytes > a.offset)
            wrong("it overlaps the one before");
    }
    void free_at(pieces::iterator x) {
        heap_.deallocate(x->second.a);
        if (heap_.is_live(x->second.a) || heap_.block_of(x->second.a) != nullptr)
            wrong("what was freed is alive");
        live_.erase(x);
    }
    void resize(pieces::iterator x) {
        piece now = x->second;
        if (!heap_.try_resize(now.a, some_bytes()))
            return;
        live_.erase(x);
        enter(now.a, now.kind);
    }

    void reserve() {
        std::vector<offset_requirement> list(1 + byte() % 4);
        for (offset_requirement& r : list)
            r = {.bytes = some_bytes(), .alignment = some_alignment(), .count = byte() % 5u};
        const std::size_t blocks = device_.count();
        if (!heap_.reserve(list)) {
            if (device_.count() > blocks || heap_.why_refused() == offset_heap::refusal::none)
                wrong("a block was made in vain, or nothing says why");
            return;
        }
        const std::size_t calls = device_.calls();
        for (std::size_t n = 0; n < list.size();) {
            auto r = list.begin() + static_cast<std::ptrdiff_t>(below(list.size()));
            if (r->count == 0) // the next one that there is
                r = std::find_if(list.begin(), list.end(), [](const auto& x) { return x.count; });
            if (r == list.end())
                break;
            if (!allocate(r->bytes, r->alignment, 1) || device_.calls() != calls)
                wrong("what was reserved has no room");
            n += --r->count == 0 ? 1 : 0;
        }
    }

    void check() {
        std::uint64_t sum = 0;
        for (const auto& [at, x] : live_) {
            sum += x.a.bytes;
            if (!heap_.is_live(x.a) || heap_.block_of(x.a) != at.first)
                wrong("what lives does not, or lies elsewhere");
        }
        const auto u = heap_.usage();
        if (u.bytes_in_use != sum || u.live_allocations != live_.size())
            wrong("usage tells of something else than there is");
        if (heap_.block_count() != device_.count() || device_.was_wronged())
            wrong("another number of blocks, or one went back that is none");
    }

    device device_;
    offset_heap heap_;
    std::uint64_t granularity_;
    pieces live_;
};

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    return program{
        {.parts = {.granularity = std::uint64_t{1} << shape % 8,
                   .conflict_page = shape / 8 % 4 == 0 ? 64u : 0u},
         .first_block_bytes = std::uint64_t{256} << second % 4,
         .largest_block_bytes = std::uint64_t{2048} << second / 4 % 4,
         .keep_empty_blocks = second / 16 % 3u,
         .budget_bytes = shape < 128 ? std::numeric_limits<std::uint64_t>::max() : 30'000}}
        .run(source);
}
