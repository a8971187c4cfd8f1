// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "groups.hpp"
#include "prepared.hpp"
#include "recorded_threads.hpp"
#include "timed_bursts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// arenite-replay PREPARED PLAN: does what a program did, once, and writes what that cost. The
// malloc is that of the process: the one preloaded, or the C library's. Its own memory is mapped,
// so that it is none of what is measured; what is allocated is touched, as the program did that
// wrote into it.
namespace arenite::replay {
namespace {

constexpr std::size_t samples = 64; ///< of resident memory
constexpr std::uint8_t from_malloc = 0;

std::span<const std::byte> contents(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat s {};
    if (file < 0 || ::fstat(file, &s) != 0)
        give_up("its input is missing");
    void* p = ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ,
                     MAP_SHARED | MAP_POPULATE, file, 0);
    ::close(file);
    if (p == MAP_FAILED)
        give_up("its input cannot be mapped");
    return {static_cast<const std::byte*>(p), static_cast<std::size_t>(s.st_size)};
}

double faults() {
    rusage r{};
    ::getrusage(RUSAGE_SELF, &r);
    return double(r.ru_minflt + r.ru_majflt);
}

/// Bytes that are this process's alone, by reading with a buffer of our own.
double resident() {
    static char text[4096];
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? 0 : ::read(file, text, sizeof text - 1);
    ::close(file);
    text[n > 0 ? n : 0] = 0;
    const char* const at = std::strstr(text, "RssAnon:");
    return at == nullptr ? 0 : double(std::strtoull(at + 8, nullptr, 10)) * 1024;
}

/// Calls f with each place that a program would touch between two offsets.
template <class F>
inline void each_touched(std::size_t from, std::size_t to, F f) {
    std::size_t at = (from + line_bytes - 1) / line_bytes * line_bytes;
    for (; at < std::min(to, page_bytes); at += line_bytes)
        f(at);
    at = (at + page_bytes - 1) / page_bytes * page_bytes;
    for (; at < to; at += page_bytes)
        f(at);
}

class replayer {
public:
    replayer(std::span<const std::byte> prepared, std::span<const std::byte> plan)
        : head_{reinterpret_cast<const prepared_head*>(prepared.data())},
          events_{reinterpret_cast<const prepared_event*>(head_ + 1)},
          slots_{reinterpret_cast<const std::uint32_t*>(events_ + head_->events)},
          group_of_site_{reinterpret_cast<const std::uint8_t*>(plan.data()) + sizeof(plan_head)},
          objects_{static_cast<object*>(fresh((head_->slots + std::size_t{1}) * sizeof(object)))},
          bursts_{*head_, slots_} {
        const auto* strategies = reinterpret_cast<const plan_head*>(plan.data());
        for (std::size_t g = 1; g < most_groups; ++g) {
            groups_[g].use(strategies->of_group[g]);
            reserves_ = reserves_ || strategies->of_group[g] == strategy::reserve;
        }
        nothing_ = strategies->of_group[0] == strategy::nothing;
        reads_ = strategies->reads_what_it_frees != 0;
        if (nothing_)
            one_place_ = static_cast<char*>(fresh(one_place_bytes));
        else if (head_->threads > 1) // what replaying costs by itself is that of one thread
            threads_ = std::make_unique<recorded_threads<replayer>>(*head_, events_, *this);
    }

    outcome run() {
        const double resident_before = resident(), faults_before = faults();
        double faults_outside = 0;
        const std::uint64_t step = std::max<std::uint64_t>(1, head_->events / samples);
        std::size_t point = 0;
        for (std::uint64_t done = 0; done < head_->events;) {
            std::uint64_t end = std::min(head_->events, done / step * step + step);
            if (point < points)
                end = std::min(end, std::max(done + 1, head_->point_at[point]));
            end = std::min(end, std::max(done + 1, bursts_.next()));
            if (done < head_->peak_at)
                end = std::min(end, head_->peak_at);
            if (threads_ != nullptr) {
                threads_->play_until(end);
                done = end;
            }
            const double before = cpu_ns();
            for (; done < end; ++done)
                play(events_[done], alone_);
            alone_.ns += cpu_ns() - before;
            const double faults_now = faults();
            made_.peak_bytes = std::max(made_.peak_bytes, resident() - resident_before);
            if (point < points && done == head_->point_at[point]) {
                walk(point);
                ++point;
            }
            while (bursts_.next() <= done)
                bursts_.time_next(objects_);
            faults_outside += faults() - faults_now;
        }
        for (std::uint32_t s = 0; s < head_->slots; ++s)
            if (objects_[s].p != nullptr)
                end_object(objects_[s]);
        made_.faults = faults() - faults_before - faults_outside;
        made_.end_bytes = std::max(0.0, resident() - resident_before);
        for (const group& g : groups_)
            made_.held_bytes += double(g.held());
        long read = 0;
        each_tally([&](const tally& t) {
            made_.ns += t.ns;
            made_.planned += t.planned;
            made_.copied_bytes += t.copied_bytes;
            read += t.read;
        });
        made_.burst_ns = bursts_.ns_an_access();
        made_.reference_ns = bursts_.reference_ns();
        made_.walk_ns = walked_ == 0 ? 0 : made_.walk_ns / walked_;
        const volatile long used = read; // so that it is read
        (void)used;
        return made_;
    }

    [[nodiscard]] const timed_bursts& bursts() const noexcept { return bursts_; }

    /// An event, by any thread.
    void play(const prepared_event& e, tally& t) {
        object& o = objects_[e.slot];
        switch (e.what) {
        case action::allocate:
        case action::allocate_zeroed:
            give_birth(o, e, t);
            return;
        case action::resize:
            resize(o, e, t);
            return;
        case action::free:
            t.live_bytes -= o.bytes;
            if (o.p == nullptr) // its memory has become a longer buffer's
                return;
            if (reads_)
                each_touched(0, used(o.bytes), [&](std::size_t at) { t.read += o.p[at]; });
            end_object(o);
            return;
        case action::mark:
            for (std::size_t g = 1; g < most_groups; ++g) {
                const auto lock = locked(g);
                groups_[g].frame_ends();
            }
            return;
        }
    }

private:
    static std::size_t alignment_of(std::uint32_t bytes, std::uint8_t log2) {
        // The alignment that `new` and std::pmr ask for: the largest power of two that divides the
        // size, up to 16.
        return log2 != 0 ? std::size_t{1} << log2
                         : std::min<std::size_t>(bytes & (~bytes + 1u), 16);
    }

    char* from_heap(std::size_t bytes, std::uint8_t log2_alignment, bool zeroed) {
        if (nothing_ && bytes <= one_place_bytes) // what is longer is rare
            return one_place_;
        void* p = nullptr;
        if (zeroed)
            p = std::calloc(1, bytes);
        else if (log2_alignment <= 4)
            p = std::malloc(bytes);
        else if (::posix_memalign(&p, std::size_t{1} << log2_alignment, bytes) != 0)
            p = nullptr;
        if (p == nullptr)
            give_up("out of memory");
        return static_cast<char*>(p);
    }
    void to_heap(object& o) {
        if (!nothing_ || o.p != one_place_)
            std::free(o.p);
    }

    /// Threads share the heaps of groups: a lock around each.
    [[nodiscard]] std::unique_lock<std::mutex> locked(std::size_t group) {
        return threads_ != nullptr ? std::unique_lock{groups_[group].lock()}
                                   : std::unique_lock<std::mutex>{};
    }
    template <class F>
    void each_tally(F f) const {
        f(alone_);
        if (threads_ != nullptr)
            threads_->each_tally(f);
    }

    char* allocate(object& o, std::uint32_t bytes, bool zeroed, tally& t) {
        if (o.group != from_malloc) {
            void* p = nullptr;
            {
                const auto lock = locked(o.group);
                p = groups_[o.group].allocate(bytes, alignment_of(bytes, o.log2_alignment));
            }
            if (p != nullptr) {
                ++t.planned;
                if (zeroed)
                    std::memset(p, 0, used(bytes));
                return static_cast<char*>(p);
            }
            o.group = from_malloc;
        }
        return from_heap(bytes, o.log2_alignment, zeroed);
    }

    void end_object(object& o) {
        if (o.group == from_malloc) {
            to_heap(o);
        } else {
            const auto lock = locked(o.group);
            groups_[o.group].deallocate(o.p, o.bytes, alignment_of(o.bytes, o.log2_alignment));
        }
        o.p = nullptr;
    }

    void give_birth(object& o, const prepared_event& e, tally& t) {
        const std::uint8_t g = group_of_site_[e.site];
        o.log2_alignment = e.log2_alignment;
        o.group = g;
        o.reserved = 0;
        object* const shorter = e.copied_of != 0 ? &objects_[e.copied_of - 1] : nullptr;
        if (reserves_ && groups_[g].how() == strategy::reserve) {
            o.group = from_malloc;
            // Steps of a chain may be of call sites that are not in the group, and what the trace
            // shows as a copy may be longer than what was reserved: of a chain that ended before.
            if (shorter != nullptr && shorter->p != nullptr && shorter->reserved >= e.bytes) {
                o.p = shorter->p;
                o.reserved = shorter->reserved;
                shorter->p = nullptr;
                ++t.planned;
                touch(o, shorter->bytes, e.bytes);
                t.live_bytes += e.bytes;
                o.bytes = e.bytes;
                return;
            }
            o.reserved = e.grows_to > e.bytes ? e.grows_to : 0;
            o.p = from_heap(std::max(e.bytes, o.reserved), e.log2_alignment,
                            e.what == action::allocate_zeroed);
        } else {
            o.p = allocate(o, e.bytes, e.what == action::allocate_zeroed, t);
        }
        o.bytes = e.bytes;
        t.live_bytes += e.bytes;
        std::uint32_t from = 0;
        if (shorter != nullptr && shorter->p != nullptr && o.p != shorter->p) {
            from = std::min(shorter->bytes, e.bytes);
            t.copied_bytes += double(from);
            std::memcpy(o.p, shorter->p, used(from));
        }
        touch(o, from, e.bytes);
    }

    void resize(object& o, const prepared_event& e, tally& t) {
        if (o.p == nullptr)
            return;
        const std::uint32_t old = o.bytes;
        const bool reserved = reserves_ && group_of_site_[e.site] != 0 &&
                              groups_[group_of_site_[e.site]].how() == strategy::reserve;
        if (reserved && e.grows_to >= e.bytes && o.group == from_malloc && e.bytes > old &&
            (e.copied_of == 0 || o.reserved >= e.bytes)) {
            if (e.copied_of == 0) { // the first step: now it becomes as long as it ever will
                o.reserved = e.grows_to;
                o.p = static_cast<char*>(std::realloc(o.p, e.grows_to));
                if (o.p == nullptr)
                    give_up("out of memory");
            }
            ++t.planned;
        } else if (o.group == from_malloc && !nothing_) {
            t.copied_bytes += double(std::min(old, e.bytes));
            o.reserved = 0;
            o.p = static_cast<char*>(std::realloc(o.p, e.bytes));
            if (o.p == nullptr)
                give_up("out of memory");
        } else if (nothing_) {
            to_heap(o);
            o.p = from_heap(e.bytes, o.log2_alignment, false);
        } else {
            object larger = o;
            larger.p = allocate(larger, e.bytes, false, t);
            std::memcpy(larger.p, o.p, used(std::min(old, e.bytes)));
            t.copied_bytes += double(std::min(old, e.bytes));
            end_object(o);
            o = larger;
        }
        o.bytes = e.bytes;
        t.live_bytes += std::uint64_t{e.bytes} - old;
        touch(o, std::min(old, e.bytes), e.bytes);
    }

    /// The bytes of an object that are used.
    [[nodiscard]] std::size_t used(std::size_t bytes) const {
        return head_->is_sparse != 0 && bytes >= large_bytes ? page_bytes : bytes;
    }
    void touch(object& o, std::size_t from, std::size_t to) {
        each_touched(from, used(to), [&](std::size_t at) { o.p[at] = static_cast<char>(at); });
    }

    /// All live objects, the oldest first: a byte each.
    void walk(std::size_t point) {
        std::uint64_t live_bytes = 0;
        each_tally([&](const tally& t) { live_bytes += t.live_bytes; });
        made_.live_checks += live_bytes == head_->live_bytes[point];
        const std::uint32_t* const begin = slots_ + head_->births[point];
        const std::uint32_t* const end = slots_ + head_->births[point + 1];
        const double before = cpu_ns();
        for (const std::uint32_t* s = begin; s != end; ++s)
            if (const char* const p = objects_[*s].p)
                alone_.read += *p;
        made_.walk_ns += cpu_ns() - before;
        walked_ += double(end - begin);
    }

    const prepared_head* head_;
    const prepared_event* events_;
    const std::uint32_t* slots_;
    const std::uint8_t* group_of_site_;
    object* objects_;
    std::array<group, most_groups> groups_;
    static constexpr std::size_t one_place_bytes = std::size_t{64} << 20;
    bool nothing_ = false, reserves_ = false, reads_ = true;
    char* one_place_ = nullptr;
    tally alone_; ///< of what the main thread replays
    std::unique_ptr<recorded_threads<replayer>> threads_;
    timed_bursts bursts_;
    double walked_ = 0;
    outcome made_;
};

} // namespace
} // namespace arenite::replay

int main(int count, char** words) {
    using namespace arenite::replay;
    if (count != 3)
        give_up("it is called by `arenite replay` and `arenite advise`");
    const auto prepared = contents(words[1]);
    const auto plan = contents(words[2]);
    const auto* head = reinterpret_cast<const prepared_head*>(prepared.data());
    if (prepared.size() < sizeof *head || head->magic != prepared_magic ||
        plan.size() < sizeof(plan_head) + head->sites)
        give_up("its input is broken");
    static replayer r{prepared, plan}; // it is not destroyed: the process ends
    const outcome o = r.run();
    std::printf(
        "ns %.0f\nwalk_ns %.3f\nfaults %.0f\npeak_bytes %.0f\nend_bytes %.0f\n"
        "live_checks %.0f\nplanned %.0f\nheld_bytes %.0f\nburst_ns %.3f\nreference_ns %.0f\n"
        "copied_bytes %.0f\nbursts",
        o.ns, o.walk_ns, o.faults, o.peak_bytes, o.end_bytes, o.live_checks, o.planned,
        o.held_bytes, o.burst_ns, o.reference_ns, o.copied_bytes);
    r.bursts().each_time([](double ns) { std::printf(" %.1f", ns); });
    std::printf("\npath");
    r.bursts().each_of_path([](const char* p) {
        std::printf(" %llx", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(p)));
    });
    std::printf("\n");
    std::fflush(stdout);
    ::_exit(0);
}
