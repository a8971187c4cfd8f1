// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program that knows nothing of Arenite, and what it loads:
//   bare_host alone PLUGIN            used by threads, closed while its objects live, loaded again
//   bare_host cycles PLUGIN PLUGIN N  N times each: nothing stays of one that was closed
//   bare_host together PLUGIN PLUGIN  what the one makes, the other ends
//   bare_host beside PLUGIN PLUGIN    threads begin with the one while the other is loaded
//   bare_host waiting PLUGIN          its constructor waits for a thread that allocates
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#include <malloc.h>
#endif

namespace {

void expect(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

void write_to_error(const char* text, std::size_t bytes) {
    static_cast<void>(!::write(STDERR_FILENO, text, bytes));
}

/// Where a crash happened, and what was mapped then: code of a library that was closed has no name
/// any more. The frames come last, as looking for them may fail in such code. Goes on to the end by
/// the signal.
void tell_where(int signal, siginfo_t* about, void*) {
    char line[80];
    const int n = std::snprintf(line, sizeof line, "signal %d at %p\n", signal, about->si_addr);
    write_to_error(line, static_cast<std::size_t>(n));
    const int maps = ::open("/proc/self/maps", O_RDONLY);
    char part[4096];
    for (ssize_t got; (got = ::read(maps, part, sizeof part)) > 0;)
        write_to_error(part, static_cast<std::size_t>(got));
#if defined(__GLIBC__)
    void* frames[32];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 32), STDERR_FILENO);
#endif
    ::raise(signal); // if it was sent
}

void tell_of_crashes() {
    struct sigaction action {};
    action.sa_sigaction = &tell_where;
    action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGSEGV, SIGBUS})
        ::sigaction(signal, &action, nullptr);
#if defined(__GLIBC__)
    void* frame[1];
    ::backtrace(frame, 1); // loads what it needs now
#endif
}

struct plugin {
    explicit plugin(const char* path) : library{dlopen(path, RTLD_NOW | RTLD_LOCAL)} {
        if (library == nullptr)
            std::fprintf(stderr, "%s\n", dlerror());
        expect(library != nullptr, "the plugin is loaded");
        find(make_common, "make_common");
        find(end_common, "end_common");
        find(common_in_use, "common_in_use");
    }
    void close() const { expect(dlclose(library) == 0, "the plugin is closed"); }

    template <class F>
    void find(F*& f, const char* name) const {
        f = reinterpret_cast<F*>(dlsym(library, name));
        expect(f != nullptr, name);
    }

    void* library;
    void* (*make_common)() = nullptr;
    void (*end_common)(void*) = nullptr;
    std::size_t (*common_in_use)() = nullptr;
};

/// Makes objects, of which every second lives on.
std::vector<void*> use(const plugin& p, int objects = 10'000) {
    std::vector<void*> made;
    for (int i = 0; i < objects; ++i)
        made.push_back(p.make_common());
    for (void* o : made)
        std::memset(o, 0x5A, 5 * sizeof(long long));
    for (std::size_t i = 0; i < made.size(); i += 2)
        p.end_common(made[i]);
    return made;
}

/// Thread-local storage of the shared library, which a host has little room for.
std::size_t thread_local_bytes() {
    std::size_t bytes = 0;
    const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
        if (std::string_view{info->dlpi_name}.find("libarenite-shared") == std::string_view::npos)
            return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i)
            if (info->dlpi_phdr[i].p_type == PT_TLS)
                *static_cast<std::size_t*>(found) = info->dlpi_phdr[i].p_memsz;
        return 1;
    };
    dl_iterate_phdr(look, &bytes);
    return bytes;
}

void alone(const char* path) {
    for (int round = 0; round < 3; ++round) {
        const plugin first{path};
        const plugin again{path};
        expect(first.library == again.library, "loaded twice, it is there once");
        const std::vector<void*> here = use(first);
        std::vector<void*> there;
        std::thread{[&] { there = use(first); }}.join();
        expect(first.common_in_use() >= 10'000 * 5 * sizeof(long long), "what lives is counted");
        again.close();
        for (std::size_t i = 1; i < here.size(); i += 4)
            first.end_common(here[i]);
        for (std::size_t i = 1; i < there.size(); i += 4) // of a thread that has ended
            first.end_common(there[i]);
        first.close();                                       // with a quarter of the objects alive
        if (dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr) // it has the library inside
            continue;
        for (std::size_t i = 3; i < here.size(); i += 4)
            expect(static_cast<unsigned char*>(here[i])[7] == 0x5A, "what it left stays readable");
    }
}

/// Figures of a process: mappings, and in KiB addresses and resident memory.
struct footprint {
    long mappings = 0;
    long addresses = 0;
    long resident = 0;

    static footprint now() {
        footprint f;
        char line[1024];
        std::FILE* maps = std::fopen("/proc/self/maps", "r");
        while (std::fgets(line, sizeof line, maps) != nullptr)
            ++f.mappings;
        std::fclose(maps);
        long pages = 0, resident = 0;
        std::FILE* statm = std::fopen("/proc/self/statm", "r");
        expect(std::fscanf(statm, "%ld %ld", &pages, &resident) == 2, "memory is told");
        std::fclose(statm);
        const long kib = ::sysconf(_SC_PAGESIZE) / 1024;
        f.addresses = pages * kib;
        f.resident = resident * kib;
        return f;
    }
};

/// Loaded, used by three threads, of which one lives on, and closed, again and again: nothing of it
/// stays, and the next time it is what lies in the file then.
void cycles(const char* one, const char* other, int rounds) {
#if defined(__GLIBC__)
    ::mallopt(M_ARENA_MAX, 1); // threads that meet in it would get 64 MiB of addresses each
#endif
    std::atomic<int> wanted{0}, done{0};
    std::atomic<const plugin*> current{nullptr};
    std::thread lives_on{[&] {
        for (int n = 1; n <= 2 * rounds; ++n) {
            while (wanted.load() < n)
                std::this_thread::yield();
            if (const plugin* const p = current.load())
                use(*p, 1000);
            done = n;
        }
        while (wanted.load() <= 2 * rounds) // it may not end while the last one is being closed
            std::this_thread::yield();
    }};
    footprint before;
    for (int round = 0; round < 2 * rounds; ++round) {
        const plugin p{round % 2 == 0 ? one : other};
        int (*which)() = nullptr;
        p.find(which, "which_plugin");
        expect(which() == round % 2, "the code is that of the file that was loaded");
        expect(p.common_in_use() == 0, "it begins anew");
        current = &p;
        wanted = round + 1;
        std::thread first{[&] { use(p, 1000); }}, second{[&] { use(p, 1000); }};
        const std::vector<void*> here = use(p, 1000);
        for (std::size_t i = 1; i < here.size(); i += 4)
            p.end_common(here[i]);
        first.join();
        second.join();
        while (done.load() < round + 1)
            std::this_thread::yield();
        current = nullptr;
        p.close();
        expect(dlopen(round % 2 == 0 ? one : other, RTLD_NOW | RTLD_NOLOAD) == nullptr,
               "it is unloaded while a thread lives that used it");
        if (round % 100 == 0) {
            const pid_t child = ::fork(); // nothing of the plugin's is called
            if (child == 0)
                ::_exit(0);
            int status = 1;
            expect(::waitpid(child, &status, 0) == child && status == 0, "the process forks");
        }
        if (round == rounds / 2)
            before = footprint::now();
    }
    const footprint now = footprint::now();
    wanted = 2 * rounds + 1;
    lives_on.join();
    std::printf("mappings %ld, %ld; addresses %ld, %ld KiB; resident %ld, %ld KiB\n",
                before.mappings, now.mappings, before.addresses, now.addresses, before.resident,
                now.resident);
    expect(now.mappings <= before.mappings + 8, "mappings stay flat");
    expect(now.addresses <= before.addresses + 1024, "addresses stay flat");
    expect(now.resident <= before.resident + 1024, "memory stays flat");
}

void together(const char* one, const char* other) {
    const plugin a{one};
    const plugin b{other};
    expect(a.library != b.library, "there are two");
    expect(thread_local_bytes() != 0, "the library is there");
    expect(thread_local_bytes() <= MOST_THREAD_LOCAL_BYTES,
           "it takes no more thread-local storage than doc/interop.md says");
    const std::vector<void*> of_a = use(a);
    expect(b.common_in_use() >= 5'000 * 5 * sizeof(long long), "the other sees it, too");
    expect(b.common_in_use() == a.common_in_use(), "there is one heap");
    std::thread{[&] {
        for (std::size_t i = 1; i < of_a.size(); i += 2)
            b.end_common(of_a[i]);
    }}.join();
    expect(a.common_in_use() == 0, "the other has ended all of it");
    void* const late = b.make_common();
    b.close();
    a.end_common(late);
    expect(a.common_in_use() == 0, "what a closed one left is ended by the other");
}

/// A thread's first allocation, and one that an object of a library makes while it is loaded.
void beside(const char* one, const char* other) {
    const plugin a{one};
    std::atomic<bool> enough{false};
    std::vector<std::thread> starters;
    for (int i = 0; i < 3; ++i)
        starters.emplace_back([&] {
            while (!enough)
                std::thread{[&] { a.end_common(a.make_common()); }}.join();
        });
    for (int round = 0; round < 2000; ++round) {
        ::alarm(60); // if they wait for each other
        std::thread{[&] { plugin{other}.close(); }}.join();
    }
    enough = true;
    for (std::thread& t : starters)
        t.join();
}

void waiting(const char* path) {
    ::alarm(30);
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    expect(library != nullptr, "the plugin is loaded");
    expect(dlclose(library) == 0, "the plugin is closed");
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 2 ? argv[1] : "";
    tell_of_crashes();
    if (what == "alone")
        alone(argv[2]);
    else if (what == "together" && argc > 3)
        together(argv[2], argv[3]);
    else if (what == "cycles" && argc > 4)
        cycles(argv[2], argv[3], std::atoi(argv[4]));
    else if (what == "beside" && argc > 3)
        beside(argv[2], argv[3]);
    else if (what == "waiting")
        waiting(argv[2]);
    else
        return 2;
    return 0;
}
