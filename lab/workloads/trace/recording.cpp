// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "../../probes/request.hpp"
#include "../../workload.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace arenite::lab {
namespace {

using kind = trace_event::kind;

struct file_head {
    std::uint64_t events, slots, peak_live_bytes, not_needed[5];
};
static_assert(sizeof(file_head) == 64);

struct file_event {
    std::uint32_t slot, bytes;
    std::uint16_t site;
    std::uint8_t op, log2_alignment;
    std::uint32_t thread;
};
static_assert(sizeof(file_event) == 16);

constexpr std::uint8_t largest_log2_alignment = 21; // of a huge page

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw cannot_run(fmt::format("{} {}", file, why));
}

/// A file that is open for reading.
class input {
public:
    explicit input(const std::string& path) : path_{path} {
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
            refuse(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
        if (!S_ISREG(status.st_mode))
            refuse(path_, "is no file");
        bytes_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~input() { ::close(descriptor_); }
    input(const input&) = delete;
    input& operator=(const input&) = delete;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    /// All of them or none: a file that shrinks meanwhile is refused.
    void read(void* to, std::size_t bytes) {
        auto* place = static_cast<std::byte*>(to);
        while (bytes > 0) {
            const ssize_t n = ::read(descriptor_, place, bytes);
            if (n <= 0)
                refuse(path_, "ends too early");
            place += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }

    /// The head, if it is that of a recording as long as this one. A program that was killed while
    /// it wrote, or whose disk was full, has left up to 4096 events that the head does not count.
    [[nodiscard]] file_head head() {
        file_head told{};
        if (bytes_ < sizeof told)
            refuse(path_, "is no recording: it is shorter than the head of one");
        read(&told, sizeof told);
        constexpr std::uint64_t most_uncounted = 4096 * sizeof(file_event);
        const std::uint64_t after_head = bytes_ - sizeof told;
        if (told.events > after_head / sizeof(file_event) || told.events > UINT32_MAX / 2 ||
            after_head - told.events * sizeof(file_event) > most_uncounted ||
            told.slots > told.events)
            refuse(path_, fmt::format("is no recording: {} bytes are not what {} events take",
                                      bytes_, told.events));
        return told;
    }

private:
    std::string path_;
    int descriptor_;
    std::uint64_t bytes_ = 0;
};

constexpr std::uint8_t op_mark = 11; ///< the end of a frame

std::optional<kind> kind_of(std::uint8_t op) noexcept {
    switch (op) {
    case 1: // malloc
    case 5: // memalign
    case 7: // new
    case 8: // new[]
        return kind::allocate;
    case 2: // calloc
        return kind::allocate_zeroed;
    case 4: // realloc
        return kind::resize;
    case 3:  // realloc, its free
    case 6:  // free
    case 9:  // delete
    case 10: // delete[]
        return kind::free;
    default:
        return std::nullopt;
    }
}

} // namespace

recording::recording(const std::string& file) {
    if (file == importer)
        make_importer();
    else if (is_trace(file))
        read_trace(file);
    else
        read(file);
    complete(file);
}

void recording::read(const std::string& file) {
    input in{file};
    const file_head told = in.head();
    if (told.events == 0)
        refuse(file, "is a recording of nothing");
    count_ = told.events;
    slots_ = told.slots;
    events_.emplace(count_ + slots_); // with a free of all that lives at the end
    std::array<file_event, 4096> part;
    std::size_t kept = 0;
    for (std::size_t done = 0; done < count_;) {
        const std::size_t n = std::min(part.size(), count_ - done);
        in.read(part.data(), n * sizeof(file_event));
        for (std::size_t i = 0; i < n; ++i) {
            const file_event& e = part[i];
            if (e.op == op_mark)
                continue;
            const std::optional<kind> what = kind_of(e.op);
            if (!what)
                refuse(file, fmt::format("is broken: event {} is of the unknown kind {}", done + i,
                                         e.op));
            if (e.log2_alignment > largest_log2_alignment)
                refuse(file, fmt::format("is broken: event {} wants an alignment of 2^{}", done + i,
                                         e.log2_alignment));
            (*events_)[kept++] = {e.slot, e.bytes, 0, *what, e.log2_alignment};
        }
        done += n;
    }
    count_ = kept;
    if (count_ == 0)
        refuse(file, "is a recording of nothing");
}

/// Looks that each event can be, and adds what it has to know of those before it.
void recording::complete(const std::string& name) {
    struct object {
        std::uint32_t bytes; ///< 0: none
        std::uint8_t log2_alignment;
    };
    reserved<object> objects{slots_};
    std::size_t live_bytes = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        trace_event& e = (*events_)[i];
        if (e.slot >= slots_)
            refuse(name, fmt::format("is broken: event {} names slot {} of {}", i, e.slot, slots_));
        object& o = objects[e.slot];
        const bool born = e.what == kind::allocate || e.what == kind::allocate_zeroed;
        if (born != (o.bytes == 0))
            refuse(name, fmt::format("is broken: event {} finds {} in slot {}", i,
                                     born ? "a live object" : "nothing", e.slot));
        if (e.what != kind::free && e.bytes == 0)
            e.bytes = 1;
        if (born && e.log2_alignment == 0)
            e.log2_alignment =
                static_cast<std::uint8_t>(std::countr_zero(alignment_of_new(e.bytes)));
        e.old_bytes = o.bytes;
        live_bytes -= o.bytes;
        if (e.what == kind::free) {
            e.bytes = o.bytes;
            e.log2_alignment = o.log2_alignment;
            o.bytes = 0;
            continue;
        }
        if (!born)
            e.log2_alignment = o.log2_alignment;
        o = {e.bytes, e.log2_alignment};
        live_bytes += e.bytes;
        peak_live_bytes_ = std::max(peak_live_bytes_, live_bytes);
        largest_bytes_ = std::max<std::size_t>(largest_bytes_, e.bytes);
    }
    for (std::uint32_t slot = 0; slot < slots_; ++slot)
        if (const object& o = objects[slot]; o.bytes != 0)
            (*events_)[count_++] = {slot, o.bytes, o.bytes, kind::free, o.log2_alignment};
}

std::size_t recording::bytes_needed(const std::string& file) {
    if (file == importer)
        return std::size_t{16} << 20;
    if (is_trace(file))
        return bytes_needed_for_trace(file);
    try {
        const file_head told = input{file}.head();
        return told.peak_live_bytes + told.events * sizeof(trace_event);
    } catch (const cannot_run&) {
        return 0; // it is refused elsewhere
    }
}

births::births(const recording& of) : events_{of.events().size()} {
    const std::span<const trace_event> events = of.events();
    reserved<std::uint32_t> born_at{of.slots()}; // 1 + the event, 0: nothing there
    const auto note = [&](std::size_t event) {
        const trace_event& e = events[event];
        if (e.what == kind::free)
            born_at[e.slot] = 0;
        else if (e.what != kind::resize)
            born_at[e.slot] = static_cast<std::uint32_t>(event + 1);
    };
    std::size_t done = 0, live = 0;
    for (std::size_t i = 0; i < points; ++i) {
        for (; done < events_before(i); ++done) {
            if (events[done].what != kind::resize)
                events[done].what == kind::free ? --live : ++live;
        }
        first_[i + 1] = first_[i] + live;
    }
    slots_.emplace(first_[points]);
    done = 0;
    for (std::size_t i = 0; i < points; ++i) {
        for (; done < events_before(i); ++done)
            note(done);
        std::uint32_t* place = slots_->begin() + first_[i];
        for (std::size_t event = 0; event < done; ++event)
            if (born_at[events[event].slot] == event + 1)
                *place++ = events[event].slot;
    }
}

std::size_t births::most_live() const noexcept {
    std::size_t most = 0;
    for (std::size_t i = 0; i < points; ++i)
        most = std::max(most, live_at(i).size());
    return most;
}

} // namespace arenite::lab
