// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A scope makes the clock of samplers due, so that each allocation of its thread takes the slow
// path, where report() is called. The first report breaks the innermost scope and all around it,
// and puts the clock back to where it was before the outermost one that breaks.
#include <arenite/check/no_allocation_scope.hpp>

#include <arenite/check/detail/call_stack.hpp>
#include <arenite/check/detail/sample_clock.hpp>

#include <atomic>
#include <cstdio>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// ARENITE_THREAD_FAST is the initial-exec model, where there is one: inlined calls read it without
/// a call.
constinit thread_local std::int64_t detail::sample_clock ARENITE_THREAD_FAST = 0;

constinit thread_local no_allocation_scope* no_allocation_scope::innermost_ ARENITE_THREAD_FAST =
    nullptr;

namespace {

void write_broken_promise(const no_allocation_scope::broken& b) {
    std::fprintf(stderr, "arenite: \"%s\" promised not to allocate, and got %zu bytes at %p\n",
                 b.name != nullptr ? b.name : "a scope", b.bytes, b.address);
    for (const std::uintptr_t frame : b.frames) {
        char text[1200];
        detail::code_place::of(frame).write(text, sizeof text, frame);
        std::fprintf(stderr, "    %s\n", text);
    }
}

constinit std::atomic<no_allocation_scope::handler> handler_of_promises{&write_broken_promise};

} // namespace

no_allocation_scope::no_allocation_scope(const char* name) noexcept
    : name_{name}, outer_{innermost_}, clock_{detail::sample_clock} {
    innermost_ = this;
    detail::sample_clock = detail::sample_clock_due;
}

no_allocation_scope::~no_allocation_scope() {
    innermost_ = outer_;
    // A broken one has put the clock back already.
    if (!broken_)
        detail::sample_clock = clock_;
}

no_allocation_scope::handler no_allocation_scope::set_handler(handler h) noexcept {
    return handler_of_promises.exchange(h != nullptr ? h : &write_broken_promise);
}

void no_allocation_scope::report(const void* p, std::size_t bytes, unsigned skip) noexcept {
    no_allocation_scope* const first = innermost_;
    if (first->broken_)
        return;
    // A broken scope lies in broken ones alone. The clock goes on where it was before all of them.
    for (no_allocation_scope* s = first; s != nullptr && !s->broken_; s = s->outer_) {
        s->broken_ = true;
        detail::sample_clock = s->clock_;
    }
    const detail::call_stack stack = detail::call_stack::here(detail::call_stack::most, 1 + skip);
    handler_of_promises.load()({first->name_, p, bytes, {stack.frames, stack.count}});
}

} // namespace ARENITE_ABI
} // namespace arenite
