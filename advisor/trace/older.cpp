// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The files of recording_resource (.ev) and those in columns (.atr). Both name an object by a
// number, which is given here as an address; what .atr calls the site is the number of a stack
// without frames.
namespace arenite::trace {
namespace {

constexpr std::size_t events_at_once = 16384;

/// A file in memory, as far as it is looked at.
class mapped_file {
public:
    explicit mapped_file(const std::string& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
            status.st_size == 0) {
            if (file >= 0)
                ::close(file);
            throw bad_trace(path + " is no file that can be read");
        }
        size_ = static_cast<std::size_t>(status.st_size);
        void* p = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        ::close(file);
        if (p == MAP_FAILED)
            throw bad_trace(path + " cannot be mapped: " + std::strerror(errno));
        data_ = static_cast<const std::uint8_t*>(p);
    }
    ~mapped_file() { ::munmap(const_cast<std::uint8_t*>(data_), size_); }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    [[nodiscard]] std::span<const std::uint8_t> all() const noexcept { return {data_, size_}; }

private:
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

constexpr std::uint64_t address_of(std::uint64_t object) { return (object + 1) * 16; }

struct ev_event {
    std::uint32_t slot, bytes;
    std::uint16_t site;
    std::uint8_t op, log2_alignment;
    std::uint32_t thread;
};
constexpr std::size_t ev_head_bytes = 64;

class ev_source final : public source {
public:
    ev_source(std::unique_ptr<mapped_file> file, std::uint64_t count)
        : file_{std::move(file)}, count_{count} {}

    std::span<const event> next() override {
        events_.clear();
        for (; events_.size() < events_at_once && done_ < count_ && !broken_; ++done_) {
            ev_event from;
            std::memcpy(&from, file_->all().data() + ev_head_bytes + done_ * sizeof from,
                        sizeof from);
            event e;
            e.what = from.op == 3 ? op::free : static_cast<op>(from.op);
            broken_ = from.op == 0 || from.op > 11 || from.log2_alignment > 47;
            if (broken_)
                break;
            e.address = address_of(from.slot);
            e.old_address = e.what == op::realloc ? e.address : 0;
            e.bytes = is_free(e.what) ? 0 : from.bytes;
            e.log2_alignment = from.log2_alignment;
            e.stack = from.site;
            e.thread = from.thread;
            e.time = done_ * 128; // order alone is known
            if (e.what == op::mark)
                e = {.time = e.time, .address = from.bytes, .thread = e.thread, .what = op::mark};
            events_.push_back(e);
        }
        return events_;
    }
    std::string damage() const override {
        return broken_ ? "event " + std::to_string(done_) + " is of an unknown kind" : "";
    }

private:
    std::unique_ptr<mapped_file> file_;
    std::uint64_t count_, done_ = 0;
    bool broken_ = false;
    std::vector<event> events_;
};

class atr_source final : public source {
public:
    enum column { ops, threads, sizes, alignments, ages, sites, times, column_count };

    atr_source(std::unique_ptr<mapped_file> file, std::uint64_t count, std::vector<input> columns)
        : file_{std::move(file)}, count_{count}, columns_{std::move(columns)} {}

    std::span<const event> next() override {
        events_.clear();
        while (events_.size() < events_at_once && done_ < count_ && !broken_)
            take();
        return events_;
    }
    std::string damage() const override {
        return broken_ ? "it is broken at event " + std::to_string(done_) : "";
    }

private:
    // A realloc is a free (3) and an allocation (4) in a row.
    void take() {
        const std::uint8_t kind = columns_[ops].byte();
        event e;
        const std::uint64_t site = columns_[sites].number();
        e.stack = static_cast<std::uint32_t>(site);
        e.thread = static_cast<std::uint32_t>(columns_[threads].number());
        time_ += columns_[times].left() != 0 ? columns_[times].number() * 12 : 128;
        e.time = time_;
        broken_ = kind == 0 || kind > 10 || site >= most_stacks;
        if (kind == 3 || kind == 6 || kind >= 9) {
            const std::uint64_t age = columns_[ages].number();
            broken_ = broken_ || age >= object_of_.size();
            if (broken_)
                return;
            const std::uint32_t object = object_of_[object_of_.size() - 1 - age];
            e.what = kind == 3 ? op::free : static_cast<op>(kind);
            e.address = address_of(object);
            spare_.push_back(object);
            resized_ = kind == 3 ? e.address : 0;
        } else {
            e.bytes = columns_[sizes].number();
            if (kind == 5)
                e.log2_alignment = columns_[alignments].byte();
            std::uint32_t object = objects_;
            if (spare_.empty())
                ++objects_;
            else {
                object = spare_.back();
                spare_.pop_back();
            }
            object_of_.push_back(object);
            e.address = address_of(object);
            e.what = kind == 4 ? op::malloc : static_cast<op>(kind);
            if (kind == 4 && resized_ == e.address && !events_.empty()) {
                events_.pop_back(); // its free
                e.what = op::realloc;
                e.old_address = e.address;
            }
            resized_ = 0;
        }
        for (const input& c : columns_)
            broken_ = broken_ || !c.good();
        if (broken_)
            return;
        ++done_;
        events_.push_back(e);
    }

    std::unique_ptr<mapped_file> file_;
    std::uint64_t count_, done_ = 0, time_ = 0, resized_ = 0;
    std::vector<input> columns_;
    std::vector<std::uint32_t> object_of_, spare_; // by birth; unused numbers
    std::uint32_t objects_ = 0;
    bool broken_ = false;
    std::vector<event> events_;
};

/// The number behind a word of a line of text, "events 123".
bool number_after(std::string_view line, std::string_view word, std::uint64_t& value) {
    if (!line.starts_with(word))
        return false;
    line.remove_prefix(word.size());
    return std::from_chars(line.data(), line.data() + line.size(), value).ec == std::errc{};
}

std::unique_ptr<source> open_atr(std::unique_ptr<mapped_file>& file) {
    constexpr std::array<std::string_view, atr_source::column_count> names{
        "op", "thread", "size", "align", "age", "site", "dt"};
    const auto all = file->all();
    std::string_view text{reinterpret_cast<const char*>(all.data()), all.size()};
    std::uint64_t count = 0;
    std::vector<std::pair<std::string_view, std::uint64_t>> parts;
    for (int line_number = 0; line_number < 64; ++line_number) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos)
            return nullptr;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty())
            break;
        std::uint64_t value = 0;
        if (number_after(line, "events ", value))
            count = value;
        else if (line.starts_with("col ")) {
            const std::size_t space = line.find(' ', 4);
            if (space == std::string_view::npos || !number_after(line.substr(space), " ", value))
                return nullptr;
            parts.emplace_back(line.substr(4, space - 4), value);
        }
    }
    if (count == 0 || parts.empty())
        return nullptr;
    std::vector<input> columns(names.size(), input{{}});
    for (const auto& [name, length] : parts) {
        if (length > text.size())
            return nullptr;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name)
                columns[i] =
                    input{all.subspan(all.size() - text.size(), static_cast<std::size_t>(length))};
        text.remove_prefix(static_cast<std::size_t>(length));
    }
    return std::make_unique<atr_source>(std::move(file), count, std::move(columns));
}

} // namespace

std::unique_ptr<source> open_older(const std::string& path) {
    auto file = std::make_unique<mapped_file>(path);
    const auto all = file->all();
    if (all.size() >= ev_head_bytes) {
        std::array<std::uint64_t, 8> head{};
        std::memcpy(head.data(), all.data(), ev_head_bytes);
        const std::uint64_t there = (all.size() - ev_head_bytes) / sizeof(ev_event);
        // Events that the head does not count: the program was killed while it wrote.
        if (head[0] != 0 && head[0] <= there && there - head[0] <= 4096 && head[1] <= head[0])
            return std::make_unique<ev_source>(std::move(file), head[0]);
    }
    return open_atr(file);
}

} // namespace arenite::trace
