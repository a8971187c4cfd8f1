// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "prepare.hpp"

#include "../trace/growth.hpp"
#include "../trace/live_objects.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fmt/core.h>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

using replay::action;
using replay::prepared_event;

/// Prepared events, where they will be read: behind the head of the file.
class event_list {
public:
    event_list(memory_file& file, std::uint64_t most)
        : bytes_{sizeof(replay::prepared_head) + (most + at_once) * sizeof(prepared_event)} {
        file.resize(bytes_);
        base_ = file.map(bytes_);
    }
    ~event_list() { ::munmap(base_, static_cast<std::size_t>(bytes_)); }
    event_list(const event_list&) = delete;
    event_list& operator=(const event_list&) = delete;

    void push_back(const prepared_event& e) {
        if (sizeof(replay::prepared_head) + (size_ + 1) * sizeof e > bytes_)
            throw std::runtime_error("an event of the trace ends more objects than can be there");
        first()[size_++] = e;
    }
    [[nodiscard]] prepared_event& operator[](std::uint64_t i) { return first()[i]; }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
    static constexpr std::uint64_t at_once = 16; ///< an event may end objects that lie there

    [[nodiscard]] prepared_event* first() const noexcept {
        return reinterpret_cast<prepared_event*>(base_ + sizeof(replay::prepared_head));
    }
    std::uint64_t bytes_, size_ = 0;
    std::byte* base_;
};

/// Numbers of live objects in a replay.
///
/// With one thread they are those of live_objects: the one that was freed last is taken next. Were
/// it so with more, each birth would have to wait until another thread has ended what had the
/// number before; so each thread has numbers of its own, and takes that which was freed first.
class object_numbers {
public:
    explicit object_numbers(replay_threads who) : who_{who} {}

    std::uint32_t take(std::uint32_t slot, std::uint16_t thread) {
        if (who_ == replay_threads::merged) {
            count_ = std::max<std::size_t>(count_, slot + std::size_t{1});
            return slot;
        }
        std::deque<std::uint32_t>& free = free_[thread];
        std::uint32_t number = static_cast<std::uint32_t>(count_);
        if (free.size() < enough) {
            ++count_;
        } else {
            number = free.front();
            free.pop_front();
        }
        if (slot >= of_slot_.size())
            of_slot_.resize(slot + std::size_t{1});
        of_slot_[slot] = number;
        return number;
    }
    [[nodiscard]] std::uint32_t of(std::uint32_t slot) const {
        return who_ == replay_threads::merged ? slot : of_slot_[slot];
    }
    void give_back(std::uint32_t number, std::uint16_t thread) {
        if (who_ == replay_threads::recorded)
            free_[thread].push_back(number);
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    static constexpr std::size_t enough = 256; ///< so that it was freed long ago

    replay_threads who_;
    std::size_t count_ = 0;
    std::vector<std::uint32_t> of_slot_;
    std::array<std::deque<std::uint32_t>, replay::most_threads> free_; ///< by thread
};

/// Makes prepared events of a trace's.
class preparer {
public:
    preparer(memory_file& file, std::uint64_t most, replay_threads who)
        : events{file, most}, who_{who}, numbers_{who} {}

    event_list events;
    std::uint64_t peak_live_bytes = 0, peak_at = 0, all_bytes = 0;
    std::uint64_t sites = 1;
    std::vector<std::uint64_t> marks; ///< how many events there are up to each, and with it

    void take(const trace::event& e) {
        if (e.what == trace::op::mark) {
            prepared_event mark{};
            mark.what = action::mark;
            mark.thread = thread_of(e);
            events.push_back(mark);
            marks.push_back(events.size());
            return;
        }
        const auto change = live_.apply(e, [&](std::uint32_t slot) {
            prepared_event ended{};
            ended.slot = numbers_.of(slot);
            ended.what = action::free;
            ended.thread = thread_of(e);
            end(slot);
            events.push_back(ended);
        });
        using kind = decltype(change);
        if (change.what == kind::nothing)
            return;
        prepared_event made{};
        made.thread = thread_of(e);
        made.slot = change.what == kind::born ? numbers_.take(change.slot, made.thread)
                                              : numbers_.of(change.slot);
        made.site = e.stack;
        sites = std::max<std::uint64_t>(sites, e.stack + std::uint64_t{1});
        made.bytes = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(live_.at(change.slot).bytes, 1, replay::largest_bytes));
        made.log2_alignment = e.log2_alignment;
        switch (change.what) {
        case kind::born:
            made.what = e.what == trace::op::calloc ? action::allocate_zeroed : action::allocate;
            born(made, change.slot);
            break;
        case kind::resized:
            made.what = action::resize;
            resized(made, change.slot, change.before);
            break;
        default:
            made.what = action::free;
            died(change.slot);
            break;
        }
        events.push_back(made);
        if (live_bytes_ > peak_live_bytes) {
            peak_live_bytes = live_bytes_;
            peak_at = events.size();
        }
    }

    /// A burst is replayed where it uses some objects.
    void take(const trace::observation& seen) {
        if (!seen.is_burst())
            return;
        const std::size_t first = accesses_.size();
        std::set<std::uint32_t> objects;
        std::vector<std::uint32_t> kept_as(seen.accesses.size(), 0); // 1 + its place in the burst
        for (std::size_t i = 0; i < seen.accesses.size(); ++i) {
            const trace::access& a = seen.accesses[i];
            const std::uint32_t slot = live_.slot_holding(a.address);
            if (slot == live_.no_object)
                continue;
            kept_as[i] = static_cast<std::uint32_t>(accesses_.size() - first + 1);
            const std::uint32_t waits_for =
                a.loaded_before != 0 && a.loaded_before <= i ? kept_as[i - a.loaded_before] : 0;
            objects.insert(slot);
            const std::uint64_t offset = a.address - live_.at(slot).address;
            accesses_.push_back({numbers_.of(slot),
                                 static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                     offset, live_.at(slot).kept.bytes - 1)),
                                 waits_for, live_.at(slot).kept.site});
        }
        if (objects.size() < least_objects)
            accesses_.resize(first);
        else
            bursts_.push_back({events.size(), static_cast<std::uint32_t>(first),
                               static_cast<std::uint32_t>(accesses_.size() - first)});
    }

    /// Bursts from everywhere in the program, as many as are timed, and their accesses.
    [[nodiscard]] std::pair<std::vector<replay::prepared_burst>,
                            std::vector<replay::prepared_access>>
    chosen_bursts() const {
        std::vector<replay::prepared_burst> bursts;
        std::vector<replay::prepared_access> accesses;
        const std::size_t n = std::min(bursts_.size(), replay::most_timed_bursts);
        for (std::size_t i = 0; i < n; ++i) {
            replay::prepared_burst b = bursts_[i * bursts_.size() / n];
            const auto* const from = accesses_.data() + b.first;
            b.first = static_cast<std::uint32_t>(accesses.size());
            accesses.insert(accesses.end(), from, from + b.count);
            bursts.push_back(b);
        }
        return {std::move(bursts), std::move(accesses)};
    }

    void look_ahead(std::span<const trace::event> coming) const noexcept {
        live_.look_ahead(coming);
    }
    [[nodiscard]] std::size_t slots() const noexcept { return numbers_.count(); }
    /// Threads that the events name.
    [[nodiscard]] std::uint64_t threads() const noexcept { return threads_; }

private:
    struct kept {
        std::uint64_t born = 0;  ///< its event
        std::uint64_t sized = 0; ///< the event that gave it its size: its birth or a resize
        std::uint64_t start = 0; ///< the event with which its chain began
        std::uint32_t site = 0, bytes = 0;
        bool linked = false;
        std::uint16_t thread = 0; ///< of its birth
    };

    [[nodiscard]] std::uint16_t thread_of(const trace::event& e) noexcept {
        if (who_ == replay_threads::merged)
            return 0;
        const std::uint32_t thread = e.thread % replay::most_threads;
        threads_ = std::max<std::uint64_t>(threads_, thread + std::uint64_t{1});
        return static_cast<std::uint16_t>(thread);
    }

    void born(const prepared_event& made, std::uint32_t slot) {
        kept& k = live_.at(slot).kept;
        k = {events.size(), events.size(), events.size(), made.site,
             made.bytes,    false,         made.thread};
        live_bytes_ += made.bytes;
        all_bytes += made.bytes;
        latest_.note(slot, events.size(), made.bytes);
    }

    void resized(prepared_event& made, std::uint32_t slot, std::uint64_t before) {
        kept& k = live_.at(slot).kept;
        live_bytes_ += std::uint64_t{made.bytes} - k.bytes;
        if (made.site == 0)
            made.site = k.site;
        if (trace::is_growth_step(before, made.bytes)) {
            if (!k.linked)
                k.start = events.size(); // this event
            made.copied_of = k.linked ? made.slot + 1 : 0;
            k.linked = true;
            made.grows_to = made.bytes;
            if (k.start < events.size()) {
                // All steps of the chain tell where it ends; those before learn it now.
                events[k.start].grows_to = std::max(events[k.start].grows_to, made.bytes);
            }
        } else {
            k.linked = false;
        }
        k.sized = events.size();
        k.bytes = made.bytes;
        k.site = made.site;
    }

    void end(std::uint32_t slot) {
        const kept& k = live_.at(slot).kept;
        live_bytes_ -= k.bytes;
        numbers_.give_back(numbers_.of(slot), k.thread);
    }

    void died(std::uint32_t slot) {
        end(slot);
        const kept k = live_.at(slot).kept;
        // A buffer that is resized after the birth of a longer one has not moved there.
        const auto is_longer_copy = [&](std::uint32_t newer, std::uint64_t born) {
            const auto& o = live_.at(newer);
            return newer != slot && o.address != 0 && o.kept.born == born && born > k.sized &&
                   !o.kept.linked && trace::is_growth_step(k.bytes, o.kept.bytes);
        };
        const std::uint32_t longer =
            trace::is_large(k.bytes) ? latest_.find(events.size(), is_longer_copy) : UINT32_MAX;
        if (longer == UINT32_MAX)
            return;
        kept& n = live_.at(longer).kept;
        events[n.born].copied_of = numbers_.of(slot) + 1;
        n.start = k.start;
        n.linked = true;
        events[k.start].grows_to = std::max(events[k.start].grows_to, n.bytes);
    }

    static constexpr std::size_t least_objects = 8;

    replay_threads who_;
    object_numbers numbers_;
    std::uint64_t threads_ = 1;
    trace::live_objects<kept> live_;
    std::vector<replay::prepared_burst> bursts_;
    std::vector<replay::prepared_access> accesses_;
    trace::recent_births latest_;
    std::uint64_t live_bytes_ = 0;
};

} // namespace

memory_file::memory_file(const char* name) : file_{::memfd_create(name, 0)} {
    if (file_ < 0)
        throw std::runtime_error(fmt::format("no memory file: {}", std::strerror(errno)));
}
memory_file::~memory_file() { ::close(file_); }

void memory_file::write(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::write(file_, at, bytes);
        if (n <= 0)
            throw std::runtime_error(
                fmt::format("no memory for the trace: {}", std::strerror(errno)));
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
}
void memory_file::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
    if (::pwrite(file_, data, bytes, static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes))
        throw std::runtime_error("no memory for the trace");
}
void memory_file::append() {
    if (::lseek(file_, 0, SEEK_END) < 0)
        throw std::runtime_error("no memory for the trace");
}
void memory_file::resize(std::uint64_t bytes) {
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0)
        throw std::runtime_error(fmt::format("no memory for the trace: {}", std::strerror(errno)));
}
std::byte* memory_file::map(std::uint64_t bytes) {
    void* const p = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, file_, 0);
    if (p == MAP_FAILED)
        throw std::runtime_error(fmt::format("no memory for the trace: {}", std::strerror(errno)));
    return static_cast<std::byte*>(p);
}
std::string memory_file::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), file_); }

std::string prepared_trace::sparse_text() const {
    return head_.is_sparse == 0 ? ""
                                : "it did not touch half of what it asked for: replays touch only "
                                  "the first page of objects of 64 KiB and more";
}

prepared_trace::prepared_trace(trace::source& from, std::uint64_t most, replay_threads who)
    : file_{"arenite-replay"} {
    preparer p{file_, most, who};
    trace::read_until(
        from,
        [&](const trace::event& e) {
            is_whole_ = p.events.size() < most;
            if (is_whole_)
                p.take(e);
            return is_whole_;
        },
        [&](const trace::observation& o) { p.take(o); },
        [&](std::span<const trace::event> coming) { p.look_ahead(coming); });
    if (p.events.size() == 0)
        throw trace::bad_trace("there is no event in it that could be replayed");
    head_.magic = replay::prepared_magic;
    head_.slots = static_cast<std::uint32_t>(p.slots());
    head_.events = p.events.size();
    head_.sites = p.sites;
    head_.marks = p.marks.size();
    head_.threads = p.threads();
    head_.peak_live_bytes = p.peak_live_bytes;
    head_.peak_at = p.peak_at;
    head_.all_bytes = p.all_bytes;
    const std::string resident = from.known().word("peak_resident_bytes");
    const double most_resident = std::strtod(resident.c_str(), nullptr);
    head_.is_sparse = most_resident > 0 && double(p.peak_live_bytes) > 2 * most_resident;

    // Which slots are live at the points, in order of birth: a list in that order, of events.
    std::vector<std::uint32_t> bytes_of(p.slots(), 0);
    std::vector<std::uint64_t> born_at(p.slots(), 0); // 1 + the event
    std::vector<std::vector<std::uint32_t>> lists(replay::points);
    std::uint64_t live_bytes = 0;
    std::size_t done = 0;
    for (std::size_t i = 0; i < replay::points; ++i) {
        head_.point_at[i] = p.marks.size() > replay::points
                                ? p.marks[p.marks.size() * (i + 1) / (replay::points + 1) - 1]
                                : head_.events * (i + 1) / (replay::points + 1);
        for (; done < head_.point_at[i]; ++done) {
            const prepared_event& e = p.events[done];
            if (e.what == action::mark)
                continue;
            live_bytes -= bytes_of[e.slot];
            bytes_of[e.slot] = e.what == action::free ? 0 : e.bytes;
            live_bytes += bytes_of[e.slot];
            if (e.what == action::free)
                born_at[e.slot] = 0;
            else if (e.what != action::resize)
                born_at[e.slot] = done + 1;
        }
        head_.live_bytes[i] = live_bytes;
        for (std::uint32_t s = 0; s < p.slots(); ++s)
            if (born_at[s] != 0)
                lists[i].push_back(s);
        std::sort(lists[i].begin(), lists[i].end(),
                  [&](std::uint32_t a, std::uint32_t b) { return born_at[a] < born_at[b]; });
        head_.births[i + 1] = head_.births[i] + lists[i].size();
    }
    const auto [bursts, accesses] = p.chosen_bursts();
    head_.bursts = bursts.size();
    head_.accesses = accesses.size();
    const auto longest =
        std::max_element(bursts.begin(), bursts.end(),
                         [](const auto& a, const auto& b) { return a.count < b.count; });
    if (longest != bursts.end())
        for (std::uint32_t i = 0; i < longest->count; ++i)
            stacks_of_path_.push_back(accesses[longest->first + i].site);
    file_.write_at(0, &head_, sizeof head_);
    file_.resize(sizeof head_ + head_.events * sizeof(prepared_event)); // what was not needed goes
    file_.append();
    for (const auto& list : lists)
        file_.write(list.data(), list.size() * sizeof(std::uint32_t));
    if (head_.births[replay::points] % 2 != 0) { // bursts lie at multiples of 8 bytes
        const std::uint32_t padding = 0;
        file_.write(&padding, sizeof padding);
    }
    file_.write(bursts.data(), bursts.size() * sizeof bursts[0]);
    file_.write(accesses.data(), accesses.size() * sizeof accesses[0]);
}

} // namespace arenite::advisor
