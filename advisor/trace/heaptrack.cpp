// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "heaptrack.hpp"

#include "event.hpp"
#include "writer.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#include <zstd.h>

namespace arenite::trace {
namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 17;
constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::size_t most_events_waiting = 16'384;
constexpr std::size_t most_frames = 64;

/// The lines of a file, of one that zstd compressed as well.
class line_source {
public:
    explicit line_source(const std::string& path)
        : path_{path}, file_{std::fopen(path.c_str(), "rbe"), &std::fclose} {
        if (file_ == nullptr)
            throw bad_trace(path + " cannot be read: " + std::strerror(errno));
        raw_.resize(part_bytes);
        read_raw();
        const auto* b = reinterpret_cast<const unsigned char*>(raw_.data());
        if (raw_end_ >= 4 && b[0] == 0x28 && b[1] == 0xB5 && b[2] == 0x2F && b[3] == 0xFD)
            zstd_.reset(::ZSTD_createDStream());
        if (raw_end_ >= 2 && b[0] == 0x1F && b[1] == 0x8B)
            throw bad_trace(path + " is compressed by gzip; `gzip -d` it first");
    }

    /// False at the end. The line is there until the next call.
    [[nodiscard]] bool next(std::string_view& line) {
        for (;;) {
            const std::size_t end = text_.find('\n', at_);
            if (end != std::string::npos) {
                line = std::string_view{text_}.substr(at_, end - at_);
                at_ = end + 1;
                ++number_;
                return true;
            }
            text_.erase(0, at_);
            at_ = 0;
            if (text_.size() > longest_line)
                throw bad_trace(path_ + " is no recording of heaptrack: a line has no end");
            if (!read_text())
                return false;
        }
    }
    [[nodiscard]] bool is_torn() const noexcept { return at_ != text_.size(); }
    [[nodiscard]] bad_trace bad_line(const char* why) const {
        return bad_trace{path_ + ", line " + std::to_string(number_) + ": " + why};
    }

private:
    void read_raw() {
        raw_end_ = std::fread(raw_.data(), 1, raw_.size(), file_.get());
        raw_at_ = 0;
    }
    bool read_text() {
        if (zstd_ == nullptr) {
            text_.append(raw_, raw_at_, raw_end_ - raw_at_);
            const bool some = raw_at_ != raw_end_;
            read_raw();
            return some;
        }
        const std::size_t before = text_.size();
        while (text_.size() == before) {
            if (raw_at_ == raw_end_)
                read_raw();
            if (raw_end_ == 0)
                return false;
            text_.resize(before + part_bytes);
            ::ZSTD_inBuffer in{raw_.data(), raw_end_, raw_at_};
            ::ZSTD_outBuffer out{text_.data() + before, part_bytes, 0};
            const std::size_t n = ::ZSTD_decompressStream(zstd_.get(), &out, &in);
            text_.resize(before + out.pos);
            if (::ZSTD_isError(n) != 0)
                throw bad_trace(path_ + " is damaged: " + ::ZSTD_getErrorName(n));
            raw_at_ = in.pos;
        }
        return true;
    }

    struct free_zstd {
        void operator()(::ZSTD_DStream* s) const noexcept { ::ZSTD_freeDStream(s); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::unique_ptr<::ZSTD_DStream, free_zstd> zstd_;
    std::string raw_, text_;
    std::size_t raw_at_ = 0, raw_end_ = 0, at_ = 0;
    std::uint64_t number_ = 0;
};

/// The words of a line; numbers are hexadecimal.
class word_source {
public:
    explicit word_source(std::string_view line) : rest_{line} {}

    [[nodiscard]] bool number(std::uint64_t& n) {
        const std::string_view w = word();
        const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), n, 16);
        return !w.empty() && error == std::errc{} && end == w.data() + w.size();
    }
    /// So many bytes, which may have blanks.
    [[nodiscard]] bool text(std::uint64_t bytes, std::string& to) {
        if (bytes > rest_.size())
            return false;
        to = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        if (rest_.starts_with(' '))
            rest_.remove_prefix(1);
        return true;
    }
    [[nodiscard]] std::string_view word() {
        const std::size_t end = std::min(rest_.find(' '), rest_.size());
        const std::string_view w = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return w;
    }

private:
    std::string_view rest_;
};

class importer {
public:
    importer(const std::string& path, writer& to, std::string (*build_id)(const std::string&))
        : from_{path}, to_{to}, build_id_{build_id} {}

    heaptrack_counts run(const std::string& path) {
        std::string_view line;
        if (!from_.next(line) || !begins(line))
            throw bad_trace(path + " is no recording of heaptrack: it has to begin with a line "
                                   "'v', its version");
        while (from_.next(line))
            if (!line.empty())
                take(line.front(), word_source{line.substr(std::min<std::size_t>(2, line.size()))});
        counts_.is_torn = from_.is_torn();
        write_waiting();
        to_.put_about({{"program", counts_.program}, {"end", "not known"}, {"threads", "1"}});
        return counts_;
    }

private:
    [[nodiscard]] bool begins(std::string_view line) {
        word_source words{line};
        std::uint64_t heaptrack = 0;
        if (words.word() != "v" || !words.number(heaptrack))
            return false;
        if (!words.number(version_))
            version_ = 1;
        if (version_ > 3)
            throw from_.bad_line("a version of heaptrack's format that is not known");
        return true;
    }

    void take(char mode, word_source words) {
        std::uint64_t a = 0, b = 0, c = 0;
        switch (mode) {
        case 'm':
            return take_module(words);
        case 't':
            if (!words.number(a) || !words.number(b) || b > traces_.size())
                throw from_.bad_line("a step of a call stack was expected");
            traces_.push_back({a, static_cast<std::uint32_t>(b), 0});
            return;
        case '+':
            if (!words.number(a) || !words.number(b) || !words.number(c) || b > traces_.size())
                throw from_.bad_line("an allocation was expected");
            ++counts_.allocations;
            return put({.time = time_,
                        .address = c,
                        .bytes = a,
                        .stack = stack_of(static_cast<std::uint32_t>(b)),
                        .thread = 1});
        case '-':
            if (!words.number(a))
                throw from_.bad_line("a free was expected");
            ++counts_.frees;
            return put({.time = time_, .address = a, .what = op::free});
        case 'c':
            if (!words.number(a))
                throw from_.bad_line("a time was expected");
            time_ = std::max(time_, a * 1'000'000);
            return;
        case 'x':
            return take_program(words);
        case 'a':
        case 'i':
        case 's':
            throw from_.bad_line("it is interpreted already; `heaptrack --raw` writes what is read "
                                 "here");
        default:
            return; // memory in use, page sizes, comments
        }
    }

    [[nodiscard]] bool take_text(word_source& words, std::string& to) const {
        std::uint64_t bytes = 0;
        if (version_ >= 3)
            return words.number(bytes) && words.text(bytes, to);
        to = words.word();
        return !to.empty();
    }

    void take_program(word_source words) {
        if (!take_text(words, program_path_))
            throw from_.bad_line("the path of a program was expected");
        counts_.program = program_path_.substr(program_path_.rfind('/') + 1);
    }

    /// Modules as they are from here on; "-": they are told anew.
    void take_module(word_source words) {
        std::string path;
        std::uint64_t begin = 0, at = 0, bytes = 0;
        if (!take_text(words, path))
            throw from_.bad_line("a module was expected");
        if (path == "-") {
            loaded_.clear();
            return;
        }
        if (!words.number(begin))
            throw from_.bad_line("the address of a module was expected");
        if (path == "x")
            path = program_path_;
        const auto [it, is_new] = modules_.try_emplace(path, std::uint32_t(modules_.size() + 1));
        if (is_new)
            new_modules_.push_back({path, build_id_(path)});
        while (words.number(at) && words.number(bytes))
            loaded_[begin + at] = {begin + at + bytes, begin, it->second};
    }

    [[nodiscard]] frame frame_of(std::uint64_t return_address) const {
        const std::uint64_t address = return_address - 1; // the last byte of the call
        auto it = loaded_.upper_bound(address);
        if (it == loaded_.begin() || (--it)->second.end <= address)
            return {0, address};
        return {it->second.module, address - it->second.begin};
    }

    [[nodiscard]] std::uint32_t stack_of(std::uint32_t trace) {
        if (trace == 0)
            return 0;
        step& first = traces_[trace - 1];
        if (first.stack != 0)
            return first.stack;
        std::vector<frame> frames;
        for (std::uint32_t t = trace; t != 0 && frames.size() < most_frames;
             t = traces_[t - 1].parent)
            frames.push_back(frame_of(traces_[t - 1].address));
        new_stacks_.push_back(std::move(frames));
        return first.stack = ++stack_count_;
    }

    void put(const event& e) {
        waiting_.push_back(e);
        if (waiting_.size() == most_events_waiting)
            write_waiting();
    }

    /// Things that events refer to stand before them.
    void write_waiting() {
        to_.put_modules(new_modules_);
        to_.put_stacks(new_stacks_);
        for (const event& e : waiting_)
            to_.put(e);
        to_.flush();
        new_modules_.clear();
        new_stacks_.clear();
        waiting_.clear();
    }

    struct step {
        std::uint64_t address;
        std::uint32_t parent; ///< its number; 0: none
        std::uint32_t stack;  ///< of the trace that is written; 0: not yet
    };
    struct segment {
        std::uint64_t end, begin; ///< begin: of the module
        std::uint32_t module;
    };

    line_source from_;
    writer& to_;
    std::string (*build_id_)(const std::string&);
    heaptrack_counts counts_;
    std::uint64_t version_ = 0, time_ = 0;
    std::string program_path_;
    std::map<std::uint64_t, segment> loaded_;
    std::unordered_map<std::string, std::uint32_t> modules_;
    std::vector<step> traces_;
    std::uint32_t stack_count_ = 0;
    std::vector<module> new_modules_;
    std::vector<std::vector<frame>> new_stacks_;
    std::vector<event> waiting_;
};

} // namespace

heaptrack_counts import_heaptrack(const std::string& path, writer& to,
                                  std::string (*build_id)(const std::string&)) {
    return importer{path, to, build_id}.run(path);
}

} // namespace arenite::trace
