// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The file of a recording_resource. `state` is the file, its buffer and the numbers of live
// objects; a `session` holds its lock, and knows the thread inside; the calls of a recorder come
// last, and each writes one event. Read state::record() and state::add() first. The format is that
// of traces that the lab replays: 64 bytes of head, then 16 for each event. The head is written
// again with each batch, so that a program that crashes leaves a file that can be read up to the
// last batch.
#include <arenite/compose/detail/recorder.hpp>

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <source_location>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#if defined(__linux__) && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define ARENITE_MAY_BE_RECORDED 1
#else
#define ARENITE_MAY_BE_RECORDED 0
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace recording {

enum class op : std::uint8_t { allocation = 1, resize = 4, free = 6, mark = 11 };

/// Both structures are written as they lie in memory; their sizes are part of the format.
struct file_event {
    std::uint32_t slot, bytes;
    std::uint16_t site;
    op what;
    std::uint8_t log2_alignment;
    std::uint32_t thread;
};
static_assert(sizeof(file_event) == 16);

struct file_head {
    std::uint64_t events, slots, most_live_bytes, live_bytes, allocations, resizes, not_used[2];
};
static_assert(sizeof(file_head) == 64);

inline constexpr std::uint64_t most_events = std::numeric_limits<std::uint32_t>::max() / 2;

struct object {
    std::uint32_t slot, bytes;
};

struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

inline std::uint32_t recorded(std::size_t bytes) noexcept {
    // A trace is about patterns: an object of more than 4 GiB counts as one of 4 GiB, one of no
    // bytes as one of 1.
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes, 1, most));
}

} // namespace recording

using namespace recording;

struct recorder::state {
    explicit state(const char* path) {
        errno = 0;
        file.reset(std::fopen(path, "wb"));
        if (file != nullptr)
            std::setvbuf(file.get(), nullptr, _IONBF, 0); // `waiting` is the buffer
        failed = file == nullptr || !put(&head, sizeof head) || std::fgetpos(file.get(), &end) != 0;
        if (!failed)
            waiting.reserve(most_waiting);
    }

    /// Calls f, which may throw, under the lock; after a failure nothing is recorded. Calls that
    /// the recorder's own use of memory leads to are not recorded: see `inside`.
    template <class F>
    void record(F f) noexcept {
        // The containers below may allocate from the very resource that is recorded: without this
        // the thread would wait for its own lock. Only the thread's own writes can make this true,
        // so relaxed is enough.
        if (inside.load(std::memory_order_relaxed) == std::this_thread::get_id())
            return;
        const session guard{*this};
        if (failed)
            return;
#if ARENITE_EXCEPTIONS
        try {
            f();
        } catch (...) {
            failed = true;
        }
#else
        f();
#endif
    }

    /// Adds an event of an object of `before` bytes, `now` bytes from then on, and counts it.
    void add(op what, std::uint32_t slot, std::uint32_t before, std::uint32_t now,
             std::uint8_t log2_alignment = 0) {
        if (failed || head.events == most_events) {
            failed = true;
            return;
        }
        const auto number = threads.try_emplace(std::this_thread::get_id(),
                                                static_cast<std::uint32_t>(threads.size()));
        waiting.push_back({slot, now, 0, what, log2_alignment, number.first->second});
        ++head.events;
        head.slots = std::max(head.slots, std::uint64_t{slot} + 1);
        // Unsigned: a shrinking object adds a number that wraps to the difference.
        head.live_bytes += std::uint64_t{now} - before;
        head.most_live_bytes = std::max(head.most_live_bytes, head.live_bytes);
        head.allocations += what == op::allocation ? 1 : 0;
        head.resizes += what == op::resize ? 1 : 0;
        if (waiting.size() == most_waiting)
            write();
    }

    /// Its number stands where others have the bytes.
    void add_mark() {
        const std::uint64_t slots = head.slots;
        const auto number = static_cast<std::uint32_t>(++marks);
        add(op::mark, 0, number, number);
        head.slots = slots; // it takes none
    }

    void free(const object& o) {
        free_slots.push_back(o.slot);
        // The lowest free number is taken next, so that numbers stay dense and a replay needs a
        // table only as long as the most objects alive at once.
        std::push_heap(free_slots.begin(), free_slots.end(), std::greater<>{});
        add(op::free, o.slot, o.bytes, 0);
    }

    [[nodiscard]] std::uint32_t take_slot() {
        if (free_slots.empty())
            return static_cast<std::uint32_t>(head.slots);
        std::pop_heap(free_slots.begin(), free_slots.end(), std::greater<>{});
        const std::uint32_t slot = free_slots.back();
        free_slots.pop_back();
        return slot;
    }

    [[nodiscard]] bool put(const void* from, std::size_t bytes) noexcept {
        return std::fwrite(from, 1, bytes, file.get()) == bytes;
    }

    /// The events, then the head that counts them: what is counted is in the file.
    void write() noexcept {
        std::FILE* const to = file.get();
        const bool done = std::fsetpos(to, &end) == 0 && // `long` may have 32 bits
                          put(waiting.data(), waiting.size() * sizeof(file_event)) &&
                          std::fgetpos(to, &end) == 0 && std::fseek(to, 0, SEEK_SET) == 0 &&
                          put(&head, sizeof head);
        failed = failed || !done;
        waiting.clear();
    }

    /// In a forked child, which shares the file with its parent.
    static void end_in_child(void* s) noexcept {
        // Two processes that write through one position would leave a file of neither.
        static_cast<state*>(s)->failed = true;
        static_cast<state*>(s)->waiting.clear();
    }

    /// Holds the lock.
    class session {
    public:
        explicit session(state& s) noexcept : state_{s}, lock_{s.mutex} {
            s.inside.store(std::this_thread::get_id(), std::memory_order_relaxed);
        }
        ~session() { state_.inside.store(std::thread::id{}, std::memory_order_relaxed); }
        session(const session&) = delete;
        session& operator=(const session&) = delete;

    private:
        state& state_;
        std::lock_guard<fork_lock<std::mutex>> lock_;
    };

    // 64 KiB of events: one write for thousands of calls.
    static constexpr std::size_t most_waiting = 4096;

    fork_lock<std::mutex> mutex{&end_in_child, this};
    std::atomic<std::thread::id> inside{}; ///< holds the lock; what it allocates is not recorded
    std::unique_ptr<std::FILE, closer> file;
    std::fpos_t end{}; ///< of the events that are written
    file_head head{};
    std::vector<file_event> waiting;
    std::unordered_map<const void*, object> objects;
    std::vector<std::uint32_t> free_slots; ///< a heap: the lowest is at the top
    std::unordered_map<std::thread::id, std::uint32_t> threads;
    std::uint64_t marks = 0;
    state* next = nullptr; ///< among all_recordings
    bool failed = false;
};

namespace {

constinit std::atomic<recorder::state*> all_recordings = nullptr;

using marker = void (*)();

void marks_nothing() {}

/// The function with which `arenite record` marks frames, if it records this process. It was loaded
/// before anything else, so that one look is enough.
marker marker_of_recorder() noexcept {
#if ARENITE_MAY_BE_RECORDED
    static constinit std::atomic<marker> found = nullptr;
    if (const marker known = found.load(std::memory_order_relaxed); known != nullptr) [[likely]]
        return known;
    void* const symbol = ::dlsym(RTLD_DEFAULT, "arenite_mark_frame");
    marker mark = &marks_nothing;
    if (symbol != nullptr)
        std::memcpy(&mark, &symbol, sizeof mark);
    found.store(mark, std::memory_order_relaxed);
    return mark;
#else
    return &marks_nothing;
#endif
}

fork_lock<std::mutex>& lock_of_recordings() noexcept {
    return process_lock<std::mutex, recorder>();
}

} // namespace

void recorder::mark_all() noexcept {
    marker_of_recorder()();
    // A program marks its frames whether it is recorded or not: then this one load is all.
    if (all_recordings.load(std::memory_order_relaxed) == nullptr)
        return;
    const std::lock_guard lock{lock_of_recordings()};
    for (state* s = all_recordings.load(std::memory_order_relaxed); s != nullptr; s = s->next)
        s->record([s] { s->add_mark(); });
}

void recorder::mark() noexcept {
    state_->record([this] { state_->add_mark(); });
}

recorder::recorder(const char* path) {
    if (path == nullptr)
        path = "";
    auto made = std::make_unique<state>(path);
    if (!made->failed) {
        state_ = made.release();
        const std::lock_guard lock{lock_of_recordings()};
        state_->next = all_recordings.load(std::memory_order_relaxed);
        all_recordings.store(state_, std::memory_order_relaxed);
        return;
    }
    const int reason = errno != 0 ? errno : EIO;
#if ARENITE_EXCEPTIONS
    throw std::system_error{reason, std::generic_category(),
                            std::string{"a recording can't be written to "} + path};
#else
    contract_violation_f(std::source_location::current(), "a recording can't be written to %s: %s",
                         path, std::strerror(reason));
#endif
}

recorder::~recorder() {
    {
        const std::lock_guard lock{lock_of_recordings()};
        state* const first = all_recordings.load(std::memory_order_relaxed);
        if (first == state_)
            all_recordings.store(state_->next, std::memory_order_relaxed);
        for (state* s = first; s != nullptr; s = s->next)
            if (s->next == state_) {
                s->next = state_->next;
                break;
            }
    }
    // Out of the list of recordings first: from then on no mark of another thread comes to this
    // file.
    flush();
    delete state_;
}

void recorder::on_allocate(const void* p, std::size_t bytes, std::size_t alignment) noexcept {
    state_->record([&] {
        state& s = *state_;
        // An address that comes twice without a free was freed past the recorder.
        if (const auto freed = s.objects.find(p); freed != s.objects.end())
            s.free(freed->second); // at the resource behind
        const object o{s.take_slot(), recorded(bytes)};
        s.objects.insert_or_assign(p, o);
        s.add(op::allocation, o.slot, 0, o.bytes,
              static_cast<std::uint8_t>(std::countr_zero(alignment)));
    });
}

void recorder::on_resize(const void* p, std::size_t bytes) noexcept {
    state_->record([&] {
        const auto found = state_->objects.find(p);
        if (found == state_->objects.end())
            return;
        object& o = found->second;
        const std::uint32_t before = std::exchange(o.bytes, recorded(bytes));
        state_->add(op::resize, o.slot, before, o.bytes);
    });
}

void recorder::on_free(const void* p) noexcept {
    state_->record([&] {
        const auto found = state_->objects.find(p);
        if (found == state_->objects.end())
            return;
        const object o = found->second;
        state_->objects.erase(found);
        state_->free(o);
    });
}

void recorder::on_reset() noexcept {
    state_->record([&] {
        std::vector<object> live;
        live.reserve(state_->objects.size());
        for (const auto& [p, o] : state_->objects)
            live.push_back(o);
        // In the order of their numbers: the order of a hash table differs from run to run, and
        // recordings are compared.
        std::sort(live.begin(), live.end(),
                  [](const object& a, const object& b) { return a.slot < b.slot; });
        state_->objects.clear();
        for (const object& o : live)
            state_->free(o);
    });
}

bool recorder::flush() noexcept {
    const state::session guard{*state_};
    if (!state_->waiting.empty())
        state_->write();
    return !state_->failed;
}

std::size_t recorder::events() const noexcept {
    const state::session guard{*state_};
    return static_cast<std::size_t>(state_->head.events);
}

bool recorder::is_complete() const noexcept {
    const state::session guard{*state_};
    return !state_->failed;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
