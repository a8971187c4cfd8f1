// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "drain.hpp"

#include "program.hpp"
#include "symbols.hpp"

#include <algorithm>
#include <csignal>
#include <sched.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace arenite::advisor {
namespace {

std::uint64_t monotonic_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(t.tv_nsec);
}

constexpr double seen_after_ns = 100'000;

} // namespace

std::uint64_t stamp() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return monotonic_ns();
#endif
}

double nanoseconds_a_tick() noexcept {
#if defined(__x86_64__)
    static const std::uint64_t ticks = stamp(), ns = monotonic_ns();
    static double settled = 0;
    if (settled > 0)
        return settled;
    const std::uint64_t past = monotonic_ns() - ns;
    const double now =
        past == 0 ? 0.4 : double(past) / double(std::max<std::uint64_t>(1, stamp() - ticks));
    if (past > 20'000'000)
        settled = now;
    return now;
#else
    return 1;
#endif
}

process_trace::process_trace(const std::string& path, record::process& from, bool anonymous)
    : path_{path}, file_{path}, from_{from}, anonymous_{anonymous}, known_modules_(1) {}

trace::frame process_trace::frame_of(std::uint64_t pc, std::uint64_t closings) const {
    for (std::uint32_t i = modules_; i-- > 0;) {
        const record::module& m = from_.module_at[i];
        if (pc > m.begin && pc <= m.end && m.added.load(std::memory_order_relaxed) <= closings &&
            closings < m.removed.load(std::memory_order_relaxed))
            return {i + 1, pc - m.bias - 1}; // within the call
    }
    return {0, pc - 1};
}

void process_trace::take_tables() {
    if (const std::uint32_t frames = from_.costs.frames.load(std::memory_order_relaxed);
        frames != cut_.frames) {
        if (cut_.frames != 0 && cut_.from == 0)
            cut_.from = written_.events + 1;
        cut_.frames = frames;
    }
    // The stacks first: their modules are there when they are.
    const std::uint32_t words = from_.words.load(std::memory_order_acquire);
    const std::uint32_t modules = std::min<std::uint32_t>(
        from_.modules.load(std::memory_order_acquire), record::most_modules);
    if (words == words_ && modules == modules_)
        return;
    std::vector<trace::module> added;
    for (; modules_ < modules; ++modules_) {
        const record::module& m = from_.module_at[modules_];
        trace::module made{m.name, build_id_of(m.name)};
        known_modules_.push_back(made);
        if (anonymous_)
            made.path = base_name(made.path);
        added.push_back(std::move(made));
    }
    file_.put_modules(added);
    std::vector<std::vector<trace::frame>> stacks;
    while (words_ < words) {
        const std::uint64_t head = from_.stack_at[words_++];
        std::vector<trace::frame>& stack = stacks.emplace_back();
        for (std::uint64_t i = 0; i < (head & 255) && words_ < words; ++i)
            stack.push_back(frame_of(from_.stack_at[words_++], head >> 8));
        frames_.insert(frames_.end(), stack.begin(), stack.end());
    }
    file_.put_stacks(stacks);
}

void process_trace::take(const record::sample& s) {
    looks_.push_back({s.time, observed(s, regions_)});
}
void process_trace::take(const record::burst& b) {
    looks_.push_back({b.time, observed(b, regions_)});
}
void process_trace::sort_looks() {
    std::stable_sort(looks_.begin(), looks_.end(),
                     [](const look& a, const look& b) { return a.time > b.time; });
}
void process_trace::put_looks(std::uint64_t until) {
    for (; !looks_.empty() && looks_.back().time < until; looks_.pop_back())
        file_.put(std::move(looks_.back().seen));
}

/// The CPU time of the program that was the recorder's, but for bursts.
double process_trace::recorder_ns() const {
    const record::own_costs& own = from_.costs.own;
    const auto events = double(own.timed_events.load());
    const double each = events == 0 ? 0 : double(own.timed_ticks.load()) / events;
    const double ticks = each * double(written_.notes) + double(own.rare_ticks.load());
    return ticks * nanoseconds_a_tick() + double(own.rare_ns.load());
}

void process_trace::put(const record::raw_event& e, std::uint32_t thread) {
    ++written_.notes;
    if (!looks_.empty()) [[unlikely]]
        put_looks(e.time);
    trace::event made;
    made.what = static_cast<trace::op>(e.place >> 48 & 15);
    made.address = e.place & ((std::uint64_t{1} << 48) - 1);
    made.log2_alignment = static_cast<std::uint8_t>(e.place >> 52 & 63);
    made.bytes = e.what & record::most_bytes;
    made.stack = static_cast<std::uint32_t>(e.what >> 40);
    made.thread = thread;
    const double ticks = e.time > from_.start_time ? double(e.time - from_.start_time) : 0;
    made.time = static_cast<std::uint64_t>(ticks * nanoseconds_a_tick());
    if (resizing_) {
        resizing_ = false;
        const bool of_it = thread == resize_.thread;
        if (of_it && made.what == trace::op::realloc)
            made.old_address = resize_.address;
        else if (!of_it || made.what != trace::op::free || made.address != resize_.address) {
            ++written_.events; // unless it is a realloc to nothing, which is a free and no more
            file_.put(resize_);
        }
    }
    if (made.what == trace::op::resize_begins) {
        resizing_ = true;
        resize_ = made;
        return;
    }
    ++written_.events;
    if (made.what == trace::op::mark)
        made.address = ++written_.marks; // threads may mark: their order is that of the file
    else if (made.bytes < record::most_bytes)
        regions_.note(made.address, made.bytes);
    file_.put(made);
}

void process_trace::finish(std::map<std::string, std::string> about) {
    if (resizing_)
        file_.put(resize_);
    resizing_ = false;
    put_looks(UINT64_MAX);
    take_tables();
    file_.flush();
    about["threads"] = std::to_string(from_.threads.load());
    about["events"] = std::to_string(written_.events);
    about["checked"] = std::to_string(from_.checked.load());
    about["differing"] = std::to_string(from_.differing.load());
    about["lost"] = std::to_string(from_.lost.load());
    about["unwound_slowly"] = std::to_string(from_.costs.unwound_slowly.load());
    about["frames_at_end"] = std::to_string(cut_.frames);
    if (cut_.from != 0)
        about["fewer_frames_from"] = std::to_string(cut_.from);
    about["samples"] = std::to_string(from_.observed.samples.load());
    about["samples_of_malloc"] = std::to_string(from_.observed.samples_of_ours.load());
    about["samples_in_calls"] = std::to_string(from_.observed.samples_in_calls.load());
    about["bursts"] = std::to_string(from_.observed.bursts.load());
    about["burst_instructions"] = std::to_string(from_.observed.steps.load());
    about["bursts_ms"] = std::to_string(from_.observed.burst_ns.load() / 1'000'000);
    about["recorder_us"] = std::to_string(std::int64_t(recorder_ns() / 1000));
    about["accesses"] = why_unobserved_text(from_.observed.why_not.load());
    if (from_.observed.without_clock.load() != 0)
        about["recording_ended"] = ended_without_clock;
    about["usable_size_calls"] = std::to_string(from_.usable_size_calls.load());
    file_.put_about(about);

    std::sort(frames_.begin(), frames_.end(), [](const auto& a, const auto& b) {
        return a.module != b.module ? a.module < b.module : a.offset < b.offset;
    });
    frames_.erase(std::unique(frames_.begin(), frames_.end()), frames_.end());
    symbols from;
    std::vector<std::pair<trace::frame, trace::name>> names;
    for (const trace::frame& f : frames_) {
        if (f.module == 0)
            continue;
        trace::name n = from.look_up(known_modules_[f.module], f.offset);
        if (anonymous_)
            n.file = base_name(n.file);
        if (!n.function.empty())
            names.emplace_back(f, std::move(n));
    }
    file_.put_names(names);
}

drain::drain(record::control& area, std::string path, bool anonymous)
    : area_{area}, path_{std::move(path)}, anonymous_{anonymous} {}

void drain::look_for_processes() {
    const std::uint32_t count =
        std::min<std::uint32_t>(area_.processes.load(), record::most_processes);
    traces_.resize(count);
    begun_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        record::process& p = area_.process_at[i];
        // It is about to record; or it ended before, and never will.
        if (begun_[i] || p.state.load(std::memory_order_acquire) != 1)
            continue;
        begun_[i] = true;
        for (std::uint32_t before = 0; before < i; ++before)
            if (area_.process_at[before].pid == p.pid && traces_[before] != nullptr)
                traces_[before].reset(); // another program in the same process
        const std::string path = p.pid == area_.root ? path_ : path_ + "." + std::to_string(p.pid);
        traces_[i] = std::make_unique<process_trace>(path, p, anonymous_);
    }
}

/// How far each ring may be read: an event that is stamped before `until` has to be in it.
void drain::see_rings(bool all, std::uint64_t until) {
    cursors_.clear();
    for (record::ring& r : area_.ring_at) {
        const std::uint32_t state = r.state.load(std::memory_order_acquire);
        if (state == record::ring_free || r.process >= traces_.size() || !begun_[r.process])
            continue;
        // A thread that another program has displaced may take long: a second at most.
        for (int waits = 0; !all && waits < 10000; ++waits) {
            if (r.busy.load(std::memory_order_acquire) == 0)
                break;
            const std::uint64_t head = r.head.load(std::memory_order_acquire);
            if (head != r.tail.load(std::memory_order_relaxed) &&
                r.events[(head - 1) % record::ring_events].time > until)
                break;
            if (waits > 100) {
                const timespec moment{0, 100'000};
                ::nanosleep(&moment, nullptr);
            }
        }
        const std::uint64_t head = r.head.load(std::memory_order_acquire);
        const std::uint64_t tail = r.tail.load(std::memory_order_relaxed);
        process_trace* const to = traces_[r.process].get();
        if (to == nullptr || head - tail > record::ring_events) { // replaced, or overwritten by it
            r.tail.store(head, std::memory_order_release);
            r.state.store(record::ring_free, std::memory_order_release);
        } else if (head != tail) {
            cursors_.push_back({&r, tail, head, to});
        } else if (state == record::ring_ended) {
            r.state.store(record::ring_free, std::memory_order_release);
        }
    }
}

void drain::merge(std::uint64_t until) {
    const auto time_of = [](const cursor& c) {
        return c.at == c.end ? UINT64_MAX : c.ring->events[c.at % record::ring_events].time;
    };
    for (;;) {
        cursor* first = nullptr;
        std::uint64_t least = UINT64_MAX, second = UINT64_MAX;
        for (cursor& c : cursors_) {
            const std::uint64_t t = time_of(c);
            if (t < least) {
                second = least;
                least = t;
                first = &c;
            } else if (t < second) {
                second = t;
            }
        }
        if (first == nullptr || least > until)
            return;
        const std::uint64_t limit = std::min(second, until);
        const std::uint64_t room_at = first->at + record::ring_events / 4;
        do {
            first->to->put(first->ring->events[first->at % record::ring_events],
                           first->ring->thread);
            ++first->at;
        } while (time_of(*first) <= limit && first->at != room_at);
        first->ring->tail.store(first->at, std::memory_order_release);
    }
}

void drain::take_looks() {
    const auto take_all = [&](auto& slots) {
        for (auto& s : slots) {
            if (s.state.load(std::memory_order_acquire) != record::slot_ready)
                continue;
            if (s.process < traces_.size() && traces_[s.process] != nullptr)
                traces_[s.process]->take(s);
            s.state.store(record::slot_free, std::memory_order_release);
        }
    };
    take_all(area_.look.sample_at);
    take_all(area_.look.burst_at);
    for (const auto& t : traces_)
        if (t != nullptr)
            t->sort_looks();
}

std::size_t drain::take(bool all) {
    // A thread says that it is busy before it takes a stamp; that is seen a moment later.
    const auto moment = static_cast<std::uint64_t>(seen_after_ns / nanoseconds_a_tick());
    const std::uint64_t until = all ? UINT64_MAX - 1 : stamp() - moment;
    look_for_processes();
    see_rings(all, until);
    for (const auto& t : traces_)
        if (t != nullptr)
            t->take_tables();
    if (area_.look.period_ms != 0)
        take_looks();
    std::size_t taken = 0;
    for (const cursor& c : cursors_)
        taken += static_cast<std::size_t>(c.end - c.at);
    merge(until);
    return taken;
}

void drain::finish(const std::map<std::string, std::string>& about) {
    for (const auto& t : traces_)
        if (t != nullptr)
            t->finish(about);
}

} // namespace arenite::advisor
