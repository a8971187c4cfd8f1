// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Options of the sanitizers, read by their run-time libraries before main and by nobody else:
// here malloc answers a request of SIZE_MAX bytes by nullptr, as it does without them.

extern "C" {

const char* __asan_default_options();
const char* __tsan_default_options();
const char* __msan_default_options();
const char* __ubsan_default_options();

const char* __asan_default_options() {
    return "allocator_may_return_null=1:detect_stack_use_after_return=1";
}
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
// The standard library is not instrumented: only what Arenite itself marks counts as undefined.
const char* __msan_default_options() {
    return "allocator_may_return_null=1:poison_in_malloc=0:poison_in_free=0:poison_in_dtor=0";
}
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

} // extern "C"
