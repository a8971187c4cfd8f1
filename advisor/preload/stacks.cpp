// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "stacks.hpp"

#include "ticks.hpp"

#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

namespace arenite::preload {
namespace {

using record::most_frames;

constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
/// One a frame: the beginning of pi, odd.
constexpr std::uint64_t multipliers[most_frames] = {
    0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1, 0x082EFA98EC4E6C89,
    0x452821E638D01377, 0xBE5466CF34E90C6D, 0xC0AC29B7C97C50DD, 0x3F84D5B5B5470917};

void* fresh(std::size_t bytes) noexcept {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

std::uint64_t word_at(std::uint64_t address) noexcept {
    return *reinterpret_cast<const std::uint64_t*>(address);
}

/// The answer of the compiler's own unwinder, from the frame that called malloc on.
struct unwound {
    std::uint64_t first;
    std::uint64_t* frames;
    unsigned count, most;
    bool begun;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
    auto& u = *static_cast<unwound*>(data);
    const std::uint64_t pc = _Unwind_GetIP(context);
    u.begun = u.begun || pc == u.first;
    if (!u.begun)
        return _URC_NO_REASON;
    if (pc == 0 || u.count == u.most)
        return _URC_END_OF_STACK;
    u.frames[u.count++] = pc;
    return u.count == u.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

unsigned unwind(std::uint64_t first, std::uint64_t* frames, unsigned most) noexcept {
    unwound u{first, frames, 0, most, false};
    ::_Unwind_Backtrace(note_frame, &u);
    return u.count;
}

} // namespace

bool stack_table::start(record::process& into, unsigned frames) noexcept {
    into_ = &into;
#if defined(__x86_64__)
    frames_.store(frames < 1             ? 1
                  : frames > most_frames ? most_frames
                                         : frames,
                  std::memory_order_relaxed);
#else
    (void)frames;
    frames_.store(1, std::memory_order_relaxed); // the rules are those of x86-64
#endif
    if (rules_ == nullptr)
        rules_ = static_cast<std::atomic<std::uint64_t>*>(
            fresh(sizeof(std::atomic<std::uint64_t>) << rule_bits));
    if (stacks_ == nullptr)
        stacks_ = static_cast<std::atomic<std::uint64_t>*>(
            fresh(sizeof(std::atomic<std::uint64_t>) << stack_bits));
    else // of the process that this one was forked from
        std::memset(static_cast<void*>(stacks_), 0,
                    sizeof(std::atomic<std::uint64_t>) << stack_bits);
    if (rules_ != nullptr)
        std::memset(static_cast<void*>(rules_), 0, sizeof(std::atomic<std::uint64_t>) << rule_bits);
    lock_.forget_owner();
    // The unwinder makes a system call when it is used first, which a program may soon forbid.
    (void)::_Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
    return rules_ != nullptr && stacks_ != nullptr;
}

frame_rule stack_table::rule_for(std::uint64_t pc) noexcept {
    const std::uint64_t product = pc * odd & address_mask;
    const std::uint64_t low = product & ((std::uint64_t{1} << 31) - 1);
    std::uint64_t at = product >> (48 - rule_bits);
    // 48 - 18 bits tell the place, 31 are in the word: together, with the steps, they are the
    // address.
    for (std::uint64_t step = 0; step < most_steps; ++step) {
        const std::uint64_t word =
            rules_[(at + step) & ((1u << rule_bits) - 1)].load(std::memory_order_relaxed);
        if (word >> 32 == ((low << 1 | 1) & 0xFFFFFFFF) && ((word >> 29) & 7) == step)
            return frame_rule::unpacked(word & 0x1FFFFFFF);
        if (word == 0)
            break;
    }
    return learn(pc);
}

frame_rule stack_table::learn(std::uint64_t pc) noexcept {
    frame_rule rule{frame_rule::special, frame_rule::beyond, 0};
    loaded_object found{};
    const rare_work counted{into_->costs.own};
    lock_.lock();
    if (find_object(pc - 1, found)) {
        note_module(found);
        rule = read_rule(pc, found.table);
        const std::uint64_t product = pc * odd & address_mask;
        const std::uint64_t low = product & ((std::uint64_t{1} << 31) - 1);
        const std::uint64_t at = product >> (48 - rule_bits);
        for (std::uint64_t step = 0; step < most_steps; ++step) {
            auto& place = rules_[(at + step) & ((1u << rule_bits) - 1)];
            if (place.load(std::memory_order_relaxed) != 0)
                continue;
            place.store((low << 1 | 1) << 32 | step << 29 | rule.packed(),
                        std::memory_order_relaxed);
            break;
        }
    }
    lock_.unlock();
    return rule;
}

void stack_table::note_module(const loaded_object& found) noexcept {
    const std::uint32_t count = into_->modules.load(std::memory_order_relaxed);
    for (std::uint32_t i = count; i-- > 0;) {
        const record::module& m = into_->module_at[i];
        if (m.begin == found.begin &&
            m.removed.load(std::memory_order_relaxed) == record::not_removed)
            return;
    }
    if (count == record::most_modules)
        return;
    record::module& m = into_->module_at[count];
    m.begin = found.begin;
    m.end = found.end;
    m.bias = found.bias;
    m.added.store(closings_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    m.removed.store(record::not_removed, std::memory_order_relaxed);
    if (found.name != nullptr && *found.name != 0)
        std::strncpy(m.name, found.name, sizeof m.name - 1);
    else if (const auto n = shut_in.load(std::memory_order_relaxed)
                                ? ssize_t{0}
                                : ::readlink("/proc/self/exe", m.name, sizeof m.name - 1);
             n > 0)
        m.name[n] = 0;
    into_->modules.store(count + 1, std::memory_order_release);
}

void stack_table::closed_a_library() noexcept {
    lock_.lock();
    bool gone = false;
    const std::uint32_t count = into_->modules.load(std::memory_order_relaxed);
    const std::uint32_t closings = closings_.load(std::memory_order_relaxed) + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        record::module& m = into_->module_at[i];
        loaded_object there{};
        if (m.removed.load(std::memory_order_relaxed) != record::not_removed ||
            (find_object(m.begin, there) && there.begin == m.begin && there.end == m.end))
            continue;
        m.removed.store(closings, std::memory_order_relaxed);
        gone = true;
    }
    if (gone) {
        closings_.store(closings, std::memory_order_release);
        for (std::size_t i = 0; i < std::size_t{1} << rule_bits; ++i)
            if (rules_[i].load(std::memory_order_relaxed) != 0)
                rules_[i].store(0, std::memory_order_relaxed);
    }
    lock_.unlock();
}

/// The address of a frame; rbp becomes that of its caller.
[[gnu::always_inline]] inline std::uint64_t frame_above(frame_step step, std::uint64_t sp,
                                                        std::uint64_t& rbp) noexcept {
    std::uint64_t cfa = (step.base == frame_rule::from_sp ? sp : rbp) + step.offset;
    if (step.base == frame_rule::in_memory) {
        cfa = word_at(cfa);
        rbp = word_at(rbp);
    } else if (step.slot != 0) {
        rbp = word_at(cfa - step.slot);
    }
    return cfa;
}

[[gnu::always_inline]] inline unsigned stack_table::walk(caller from, std::uint64_t* frames,
                                                         unsigned most,
                                                         recent_rules& recent) noexcept {
    unsigned count = 0;
    std::uint64_t pc = from.pc, sp = from.sp, rbp = from.rbp;
    for (;;) {
        frames[count++] = pc;
        if (count >= most)
            return count;
        recent_rules::place& known = recent.place_of(sp);
        std::uint64_t word = known.load(std::memory_order_relaxed);
        std::uint64_t cfa;
        if (recent_rules::is_of(word, pc)) [[likely]] {
            cfa = frame_above(recent_rules::step_in(word), sp, rbp);
        } else {
            const frame_rule found = rule_for(pc);
            if (found.base == frame_rule::special) {
                if (found.offset == frame_rule::last)
                    return count;
                const rare_work counted{into_->costs.own};
                into_->costs.unwound_slowly.fetch_add(1, std::memory_order_relaxed);
                const unsigned told = unwind(from.pc, frames, most);
                return told != 0 ? told : count;
            }
            if ((word = recent_rules::word_of(pc, found)) != 0)
                known.store(word, std::memory_order_relaxed);
            cfa = frame_above(frame_step::by(found), sp, rbp);
        }
        if (cfa - sp - 1 >= std::uint64_t{1} << 30) // no stack grows like this
            return count;
        pc = word_at(cfa - 8);
        if (pc == 0)
            return count;
        sp = cfa;
    }
}

void stack_table::check(caller from, const std::uint64_t* frames, unsigned count,
                        unsigned most) noexcept {
    const rare_work counted{into_->costs.own};
    std::uint64_t told[most_frames];
    const unsigned n = unwind(from.pc, told, most);
    into_->checked.fetch_add(1, std::memory_order_relaxed);
    if (n != count || std::memcmp(told, frames, n * sizeof *frames) != 0)
        into_->differing.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t stack_table::add(std::uint64_t hash, const std::uint64_t* frames,
                               unsigned count) noexcept {
    // The frames that were not looked up, the last of a full stack, have modules too.
    for (unsigned i = 0; i < count; ++i)
        (void)rule_for(frames[i]);
    const rare_work counted{into_->costs.own};
    lock_.lock();
    std::uint32_t number = 0;
    constexpr std::size_t mask = (std::size_t{1} << stack_bits) - 1;
    std::size_t at = hash >> (64 - stack_bits);
    for (;; at = (at + 1) & mask) {
        const std::uint64_t there = stacks_[at].load(std::memory_order_relaxed);
        if (there == 0)
            break;
        if (there >> number_bits == hash << number_bits >> number_bits) {
            number = static_cast<std::uint32_t>(there & ((1u << number_bits) - 1));
            break;
        }
    }
    const std::uint32_t known = into_->stacks.load(std::memory_order_relaxed);
    const std::uint32_t words = into_->words.load(std::memory_order_relaxed);
    if (number == 0 && known + 1 < record::most_stacks &&
        words + count + 1 <= record::stack_words) {
        into_->stack_at[words] =
            std::uint64_t{closings_.load(std::memory_order_relaxed)} << 8 | count;
        std::memcpy(into_->stack_at + words + 1, frames, count * sizeof *frames);
        into_->words.store(words + count + 1, std::memory_order_release);
        number = known + 1;
        into_->stacks.store(number, std::memory_order_release);
        stacks_[at].store(hash << number_bits | number, std::memory_order_release);
    }
    lock_.unlock();
    return number;
}

std::uint32_t stack_table::number_of(caller from, bool checked, recent_rules* recent) noexcept {
    if (recent == nullptr) [[unlikely]]
        return number_without_memory(from, checked);
    std::uint64_t frames[most_frames];
    recent->keep(closings_.load(std::memory_order_relaxed));
    const unsigned most = frames_.load(std::memory_order_relaxed);
    const unsigned count = walk(from, frames, most, *recent);
    if (checked) [[unlikely]]
        check(from, frames, count, most);
    return number_of_frames(frames, count);
}

// A function of its own: what it needs of the stack is more than coroutines may have.
[[gnu::noinline]] std::uint32_t stack_table::number_without_memory(caller from,
                                                                   bool checked) noexcept {
    recent_rules none{};
    return number_of(from, checked, &none);
}

std::uint32_t stack_table::number_of_frames(const std::uint64_t* frames, unsigned count) noexcept {
    // A sum of products, so that none waits for another.
    std::uint64_t hash = (closings_.load(std::memory_order_relaxed) + std::uint64_t{count}) * odd;
    for (unsigned i = 0; i < count; ++i)
        hash += frames[i] * multipliers[i];
    hash ^= hash >> 32;
    hash = hash * odd | 1;
    constexpr std::size_t mask = (std::size_t{1} << stack_bits) - 1;
    for (std::size_t at = hash >> (64 - stack_bits);; at = (at + 1) & mask) {
        const std::uint64_t there = stacks_[at].load(std::memory_order_acquire);
        if (there >> number_bits == hash << number_bits >> number_bits)
            return static_cast<std::uint32_t>(there & ((1u << number_bits) - 1));
        if (there == 0)
            return add(hash, frames, count);
    }
}

} // namespace arenite::preload
