// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/recorder.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <source_location>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

enum class op : std::uint8_t { allocation = 1, resize = 4, free = 6 };

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

constexpr std::uint64_t most_events = std::numeric_limits<std::uint32_t>::max() / 2;

struct object {
    std::uint32_t slot, bytes;
};

struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

std::uint32_t recorded(std::size_t bytes) noexcept {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes, 1, most));
}

} // namespace

struct recorder::state {
    explicit state(const char* path) : file{std::fopen(path, "wb")} {
        if (file == nullptr)
            return;
        std::setvbuf(file.get(), nullptr, _IONBF, 0); // `waiting` is the buffer
        waiting.reserve(most_waiting);
    }

    /// Calls f, which may throw bad_alloc, under the lock; after a failure nothing is recorded.
    template <class F>
    void record(F f) noexcept {
        const std::lock_guard lock{mutex};
        if (failed)
            return;
#if ARENITE_EXCEPTIONS
        try {
            f();
        } catch (const std::bad_alloc&) {
            failed = true;
        }
#else
        f();
#endif
    }

    void add(op what, std::uint32_t slot, std::uint32_t bytes, std::uint8_t log2_alignment = 0) {
        if (head.events == most_events) {
            failed = true;
            return;
        }
        const auto number = threads.try_emplace(std::this_thread::get_id(),
                                                static_cast<std::uint32_t>(threads.size()));
        waiting.push_back({slot, bytes, 0, what, log2_alignment, number.first->second});
        ++head.events;
        if (waiting.size() == most_waiting)
            write();
    }

    void count_live(std::uint32_t before, std::uint32_t now) noexcept {
        head.live_bytes += std::uint64_t{now} - before;
        head.most_live_bytes = std::max(head.most_live_bytes, head.live_bytes);
    }

    void give(const object& o) {
        free_slots.push_back(o.slot);
        std::push_heap(free_slots.begin(), free_slots.end(), std::greater<>{});
        count_live(o.bytes, 0);
        add(op::free, o.slot, 0);
    }

    /// The events, then the head that counts them.
    void write() noexcept {
        const auto put = [this](const void* from, std::size_t bytes) {
            return std::fwrite(from, 1, bytes, file.get()) == bytes;
        };
        const bool is_first = head.events == waiting.size();
        const bool done = std::fseek(file.get(), 0, SEEK_END) == 0 &&
                          (!is_first || put(&head, sizeof head)) &&
                          put(waiting.data(), waiting.size() * sizeof(file_event)) &&
                          std::fseek(file.get(), 0, SEEK_SET) == 0 && put(&head, sizeof head);
        failed = failed || !done;
        waiting.clear();
    }

    static constexpr std::size_t most_waiting = 4096;

    mutable std::mutex mutex;
    std::unique_ptr<std::FILE, closer> file;
    file_head head{};
    std::vector<file_event> waiting;
    std::unordered_map<const void*, object> objects;
    std::vector<std::uint32_t> free_slots; ///< a heap: the lowest is at the top
    std::unordered_map<std::thread::id, std::uint32_t> threads;
    bool failed = false;
};

recorder::recorder(const char* path) : state_{std::make_unique<state>(path)} {
    if (state_->file != nullptr)
        return;
    const int why = errno;
#if ARENITE_EXCEPTIONS
    throw std::system_error{why, std::generic_category(),
                            std::string{"a recording can't be written to "} + path};
#else
    contract_violation_f(std::source_location::current(), "a recording can't be written to %s: %s",
                         path, std::strerror(why));
#endif
}

recorder::~recorder() { flush(); }

void recorder::allocated(const void* p, std::size_t bytes, std::size_t alignment) noexcept {
    state_->record([&] {
        state& s = *state_;
        if (const auto freed = s.objects.find(p); freed != s.objects.end())
            s.give(freed->second); // at the resource behind
        auto slot = static_cast<std::uint32_t>(s.head.slots);
        if (!s.free_slots.empty()) {
            std::pop_heap(s.free_slots.begin(), s.free_slots.end(), std::greater<>{});
            slot = s.free_slots.back();
        }
        const object o{slot, recorded(bytes)};
        s.objects.insert_or_assign(p, o);
        if (s.free_slots.empty())
            ++s.head.slots;
        else
            s.free_slots.pop_back();
        ++s.head.allocations;
        s.count_live(0, o.bytes);
        s.add(op::allocation, slot, o.bytes,
              static_cast<std::uint8_t>(std::countr_zero(alignment)));
    });
}

void recorder::resized(const void* p, std::size_t bytes) noexcept {
    state_->record([&] {
        const auto found = state_->objects.find(p);
        if (found == state_->objects.end())
            return;
        object& o = found->second;
        const std::uint32_t now = recorded(bytes);
        state_->count_live(o.bytes, now);
        o.bytes = now;
        ++state_->head.resizes;
        state_->add(op::resize, o.slot, now);
    });
}

void recorder::freed(const void* p) noexcept {
    state_->record([&] {
        const auto found = state_->objects.find(p);
        if (found == state_->objects.end())
            return;
        const object o = found->second;
        state_->objects.erase(found);
        state_->give(o);
    });
}

void recorder::freed_all() noexcept {
    state_->record([&] {
        std::vector<object> live;
        live.reserve(state_->objects.size());
        for (const auto& [p, o] : state_->objects)
            live.push_back(o);
        std::sort(live.begin(), live.end(),
                  [](const object& a, const object& b) { return a.slot < b.slot; });
        state_->objects.clear();
        for (const object& o : live)
            state_->give(o);
    });
}

bool recorder::flush() noexcept {
    const std::lock_guard lock{state_->mutex};
    if (!state_->waiting.empty())
        state_->write();
    return !state_->failed;
}

std::size_t recorder::events() const noexcept {
    const std::lock_guard lock{state_->mutex};
    return static_cast<std::size_t>(state_->head.events);
}

bool recorder::is_complete() const noexcept {
    const std::lock_guard lock{state_->mutex};
    return !state_->failed;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
