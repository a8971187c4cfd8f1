// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// A program that has little: few system calls, or small stacks. Each mode ends with its own code.
namespace {

/// More than a thread's ring holds.
void ask_often(std::size_t bytes) {
    for (int i = 0; i < 100'000; ++i)
        std::free(std::malloc(bytes));
}

/// No call of the system but what malloc and the end of the program need; any other kills.
bool restrict_calls(bool by_syscall) {
    sock_filter filter[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
        {BPF_JMP | BPF_JEQ | BPF_K, 5, 0, SYS_exit_group},
        {BPF_JMP | BPF_JEQ | BPF_K, 4, 0, SYS_brk},
        {BPF_JMP | BPF_JEQ | BPF_K, 3, 0, SYS_mmap},
        {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_munmap},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_rt_sigreturn},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    sock_fprog program{sizeof filter / sizeof *filter, filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    return by_syscall ? ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
                      : ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Becomes another program, to which the system refuses a call; of mmap those that share memory.
int run_without(unsigned call, char** program) {
    const bool shares = call == SYS_mmap;
    sock_filter filter[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, call},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args[3])},
        {BPF_JMP | BPF_JSET | BPF_K, 0, 1, MAP_SHARED},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    if (!shares)
        filter[3] = {BPF_JMP | BPF_JA, 0, 0, 0};
    sock_fprog all{sizeof filter / sizeof *filter, filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0)
        ::execv(program[0], program);
    return 1;
}

ucontext_t outside, inside;

/// A stack of so many bytes, and below it a page that must not be touched.
bool call_on_a_stack_of(std::size_t bytes, void (*function)()) {
    const std::size_t page = 4096;
    auto* const place = static_cast<char*>(
        ::mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (place == MAP_FAILED || ::mprotect(place, page, PROT_NONE) != 0 ||
        ::getcontext(&inside) != 0)
        return false;
    inside.uc_stack.ss_sp = place + page;
    inside.uc_stack.ss_size = bytes;
    inside.uc_link = &outside;
    ::makecontext(&inside, function, 0);
    return ::swapcontext(&outside, &inside) == 0;
}

} // namespace

int main(int count, char** words) {
    const char* const what = count > 1 ? words[1] : "";
    if (std::strcmp(what, "without") == 0 && count > 3)
        return run_without(static_cast<unsigned>(std::atoi(words[2])), words + 3);
    std::free(std::malloc(53001));
    if (std::strcmp(what, "filters") == 0 || std::strcmp(what, "filters_by_syscall") == 0) {
        if (!restrict_calls(std::strcmp(what, "filters") != 0))
            return 1;
        ask_often(53002);
        ::_exit(4);
    }
    if (std::strcmp(what, "reads_and_writes") == 0) {
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            return 1;
        ask_often(53);
        ::syscall(SYS_exit, 5);
    }
    if (std::strcmp(what, "small_stack") == 0)
        return call_on_a_stack_of(8192, [] { ask_often(53003); }) ? 6 : 1;
    return 0;
}
