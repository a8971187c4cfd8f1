// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "routes.hpp"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace arenite::prove {
namespace {

using preload::frame_rule;

void* fresh(std::size_t bytes) noexcept {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

const char* last_part(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

std::uint64_t word_at(std::uint64_t address) noexcept {
    return *reinterpret_cast<const std::uint64_t*>(address);
}

std::uint64_t key_of(std::uint32_t node, std::uint32_t frame) noexcept {
    return std::uint64_t{node} << 32 | frame;
}

} // namespace

bool routes::start(plan& of) noexcept {
    plan_ = &of;
    places_ = static_cast<place*>(fresh(sizeof(place) << place_bits));
    std::size_t count = 64;
    while (count < of.steps * std::size_t{2})
        count *= 2;
    step_mask_ = count - 1;
    steps_ = static_cast<step*>(fresh(count * sizeof(step)));
    if (places_ == nullptr || steps_ == nullptr)
        return false;
    for (std::uint32_t i = 0; i < of.steps; ++i) {
        const plan_step& s = of.step_at()[i];
        std::size_t at = key_of(s.from, s.frame) * odd >> 20 & step_mask_;
        while (steps_[at].key != 0)
            at = (at + 1) & step_mask_;
        steps_[at] = {key_of(s.from, s.frame), s.to, s.group};
    }
    return true;
}

const routes::step* routes::find(std::uint32_t node, std::uint32_t frame) const noexcept {
    const std::uint64_t key = key_of(node, frame);
    for (std::size_t at = key * odd >> 20 & step_mask_; steps_[at].key != 0;
         at = (at + 1) & step_mask_)
        if (steps_[at].key == key)
            return &steps_[at];
    return nullptr;
}

/// Which frame of the plan this is, 0: none. Offsets in it are those of return addresses.
std::uint32_t routes::frame_of(std::uint64_t pc, const preload::loaded_object& in) const noexcept {
    char own[512];
    const char* name = in.name;
    if (name == nullptr || *name == 0) {
        const ssize_t n = ::readlink("/proc/self/exe", own, sizeof own - 1);
        own[n > 0 ? n : 0] = 0;
        name = own;
    }
    name = last_part(name);
    for (std::uint32_t i = 0; i < plan_->frames; ++i) {
        const plan_frame& f = plan_->frame_at()[i];
        if (f.offset == pc - in.bias && f.module < plan_->modules &&
            std::strncmp(plan_->module_at()[f.module].name, name,
                         sizeof plan_->module_at()->name) == 0)
            return i + 1;
    }
    return 0;
}

routes::place& routes::learn(std::uint64_t pc) noexcept {
    static constinit place crowded{}; // where the table is full: nothing is routed
    lock_.lock();
    preload::loaded_object in{};
    frame_rule rule{frame_rule::special, frame_rule::beyond, 0};
    std::uint32_t frame = 0;
    if (preload::find_object(pc - 1, in)) {
        rule = preload::read_rule(pc, in.table);
        frame = frame_of(pc, in);
    }
    constexpr std::size_t mask = (std::size_t{1} << place_bits) - 1;
    place* found = &crowded;
    for (std::size_t at = pc * odd >> (64 - place_bits), n = 0; n < 16; at = (at + 1) & mask, ++n) {
        const std::uint64_t there = places_[at].word.load(std::memory_order_relaxed);
        if (there != 0 && there >> 16 != pc)
            continue;
        found = &places_[at];
        found->rule.store(rule.packed(), std::memory_order_relaxed);
        found->word.store(pc << 16 | frame, std::memory_order_release);
        break;
    }
    lock_.unlock();
    return *found;
}

std::uint32_t routes::follow(preload::caller from) noexcept {
    std::uint32_t node = 0;
    std::uint64_t pc = from.pc, sp = from.sp, rbp = from.rbp;
    for (;;) {
        const place& here = place_of(pc);
        const auto frame =
            static_cast<std::uint32_t>(here.word.load(std::memory_order_acquire) & 0xFFFF);
        const step* const next = frame == 0 ? nullptr : find(node, frame);
        if (next == nullptr)
            return 0;
        if (next->group != 0)
            return next->group;
        node = next->to;
        const frame_rule rule = frame_rule::unpacked(here.rule.load(std::memory_order_relaxed));
        if (rule.base == frame_rule::special)
            return 0;
        std::uint64_t cfa = rule.base == frame_rule::from_sp ? sp : rbp;
        cfa += static_cast<std::uint64_t>((std::int64_t{rule.offset} - frame_rule::bias) * 8);
        if (rule.base == frame_rule::in_memory) {
            cfa = word_at(cfa);
            rbp = word_at(rbp);
        } else if (rule.slot != 0) {
            rbp = word_at(cfa - std::uint64_t{rule.slot} * 8);
        }
        if (cfa <= sp)
            return 0;
        pc = word_at(cfa - 8);
        sp = cfa;
    }
}

void routes::forget() noexcept {
    lock_.lock();
    for (std::size_t i = 0; i < std::size_t{1} << place_bits; ++i)
        if (places_[i].word.load(std::memory_order_relaxed) != 0)
            places_[i].word.store(0, std::memory_order_relaxed);
    lock_.unlock();
}

} // namespace arenite::prove
