// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The reports that ARENITE_MALLOC asks for at the end of the process.
#include "memory.hpp"
#include "options.hpp"

#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

constexpr double mib = 1024.0 * 1024.0;

/// Counts what is allocated, by the size of its slots.
class by_size final : public region_sink {
public:
    void add(const region& r) override {
        if (r.state != region_state::used)
            return;
        row* const end = rows_ + used_;
        row* there = std::find_if(rows_, end, [&](const row& w) { return w.size == r.bytes; });
        if (there == end) {
            if (used_ == most) {
                others_.count += 1;
                others_.bytes += r.bytes;
                return;
            }
            *there = {.size = r.bytes};
            ++used_;
        }
        there->count += 1;
        there->bytes += r.bytes;
    }

    void tell() noexcept {
        constexpr std::size_t most_told = 20;
        std::sort(rows_, rows_ + used_,
                  [](const row& a, const row& b) { return a.bytes > b.bytes; });
        say("arenite malloc: still allocated, by size\n");
        for (std::size_t i = 0; i < used_; ++i) {
            if (i < most_told) {
                say("%12zu objects of %10zu bytes: %12zu bytes\n", rows_[i].count, rows_[i].size,
                    rows_[i].bytes);
            } else {
                others_.count += rows_[i].count;
                others_.bytes += rows_[i].bytes;
            }
        }
        if (others_.count != 0)
            say("%12zu objects of other sizes      : %12zu bytes\n", others_.count, others_.bytes);
    }

private:
    struct row {
        std::size_t size = 0;
        std::size_t count = 0;
        std::size_t bytes = 0;
    };
    static constexpr std::size_t most = 256;

    row rows_[most];
    std::size_t used_ = 0;
    row others_;
};

/// Writes all regions to a file: a line each, address, bytes, state.
class map_file final : public region_sink {
public:
    explicit map_file(const char* name) noexcept
        : file_{::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)} {}
    map_file(const map_file&) = delete;
    map_file& operator=(const map_file&) = delete;
    ~map_file() {
        flush();
        if (file_ >= 0)
            ::close(file_);
    }
    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

    void add(const region& r) override {
        static constexpr const char* names[] = {"used", "free", "overhead", "untouched"};
        if (sizeof text_ - length_ < 80)
            flush();
        const int n = std::snprintf(text_ + length_, sizeof text_ - length_, "%p %zu %s\n",
                                    r.address, r.bytes, names[static_cast<unsigned>(r.state)]);
        length_ += static_cast<std::size_t>(std::max(n, 0));
    }

private:
    void flush() noexcept {
        const char* from = text_;
        while (length_ != 0) {
            const ssize_t n = ::write(file_, from, length_);
            if (n <= 0)
                break;
            from += n;
            length_ -= static_cast<std::size_t>(n);
        }
        length_ = 0;
    }

    int file_;
    std::size_t length_ = 0;
    char text_[4096];
};

/// %p stands for the process.
void name_file(char* to, std::size_t room, const char* pattern) noexcept {
    const char* const p = std::strstr(pattern, "%p");
    if (p == nullptr)
        std::snprintf(to, room, "%s", pattern);
    else
        std::snprintf(to, room, "%.*s%d%s", static_cast<int>(p - pattern), pattern,
                      static_cast<int>(::getpid()), p + 2);
}

void write_map(const char* pattern) noexcept {
    char name[1100];
    name_file(name, sizeof name, pattern);
    map_file file{name};
    if (!file.is_open())
        return say("arenite malloc: the map cannot be written to %.300s\n", name);
    affinity_heap::list_regions_all(file);
}

constinit std::atomic<bool> map_is_asked{false};

/// The heaps may be in the middle of something: the next call of malloc or free sees to it.
void asked_for_map(int) noexcept {
    map_is_asked.store(true, std::memory_order_relaxed);
    if (detail::thread_table* const mine = detail::thread_table::mine())
        mine->pause(0);
}

[[gnu::constructor]] void process_begins() noexcept {
    if (std::getenv("ARENITE_MALLOC") == nullptr)
        return;
    keep_standard_error();
    const options o = asked_options();
    if (o.signal == 0 || o.map[0] == '\0')
        return;
    struct sigaction action {};
    action.sa_handler = &asked_for_map;
    action.sa_flags = SA_RESTART;
    if (::sigaction(o.signal, &action, nullptr) != 0)
        say("arenite malloc: no program can listen to signal %d\n", o.signal);
}

[[gnu::destructor]] void process_ends() noexcept {
    const options o = asked_options();
    if (o.unknown[0] != '\0')
        say("arenite malloc: ARENITE_MALLOC says %s, which is none of report, leaks, map=FILE, "
            "signal=NUMBER, returns=off\n",
            o.unknown);
    if (o.signal != 0 && o.map[0] == '\0')
        say("arenite malloc: ARENITE_MALLOC says signal=%d, which needs map=FILE\n", o.signal);
    if (o.report) {
        const usage u = affinity_heap::usage_all();
        say("arenite malloc: at the end %.2f MiB in use by %zu objects; at most %.2f MiB in use; "
            "%.2f MiB held\n",
            static_cast<double>(u.bytes_in_use) / mib, u.live_allocations,
            static_cast<double>(u.high_water_bytes) / mib,
            static_cast<double>(u.bytes_reserved) / mib);
    }
    if (o.leaks) {
        by_size sizes;
        affinity_heap::list_regions_all(sizes);
        sizes.tell();
    }
    if (o.map[0] != '\0')
        write_map(o.map);
}

} // namespace

bool is_map_asked() noexcept { return map_is_asked.load(std::memory_order_relaxed); }

void write_asked_map() noexcept {
    if (!map_is_asked.exchange(false, std::memory_order_relaxed))
        return; // another thread writes it
    const options o = asked_options();
    write_map(o.map);
}

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
