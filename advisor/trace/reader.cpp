// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "reader.hpp"

#include "columns.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <zstd.h>

namespace arenite::trace {
namespace {

constexpr std::uint32_t most_stored_bytes = most_raw_bytes + (1u << 16);
constexpr std::uint64_t most_frames_of_a_stack = 255;

/// Chunks in a file. Where one is broken, it looks for the next by its magic number.
class chunked_source final : public source {
public:
    chunked_source(std::FILE* file, std::string path) : file_{file}, path_{std::move(path)} {
        ::fseek(file_, 0, SEEK_END);
        end_ = static_cast<std::uint64_t>(std::max(0L, ::ftell(file_)));
        decompressor_ = ::ZSTD_createDCtx();
        read_names(); // they stand at the end
        ::fseek(file_, 0, SEEK_SET);
        at_ = 0;
        skipped_ = broken_ = 0;
    }
    ~chunked_source() override {
        ::ZSTD_freeDCtx(decompressor_);
        ::fclose(file_);
    }

    std::span<const event> next() override {
        chunk_head head;
        now_.events.clear();
        now_.observations.clear();
        while (now_.events.empty() && take_chunk(head, chunk_kind{})) {
            if (now_.observations.size() > 4 * most_observations)
                now_.observations.clear(); // a program that only computes: the latest are kept
            if (head.kind == chunk_kind::names || !read_chunk(head, raw_, tables_, now_))
                broken_ += head.kind == chunk_kind::names ? 0u : 1u;
        }
        return now_.events;
    }

    std::span<const observation> observations() const override { return now_.observations; }

    std::string damage() const override {
        std::string text;
        if (torn_)
            text = "its end is torn: the last chunk is missing";
        else if (tables_.word("end").empty())
            text = "its end is missing: the recording was cut off";
        if (skipped_ > 0 || broken_ > 0) {
            text += text.empty() ? "" : "; ";
            text += std::to_string(skipped_) + " bytes within it are damaged and were skipped";
        }
        return text;
    }

private:
    /// Names and what the end of the recording tells serve from the first event on.
    void read_names() {
        chunk_head head;
        at_ = 0;
        ::fseek(file_, 0, SEEK_SET);
        chunk_contents unused;
        while (take_chunk(head, chunk_kind::names))
            if (!raw_.empty())
                (void)read_chunk(head, raw_, tables_, unused);
    }

    /// The next whole chunk; false at the end. Where one kind is wanted, others are passed over
    /// unread, but for words about the recording.
    bool take_chunk(chunk_head& head, chunk_kind wanted) {
        for (;;) {
            if (end_ - at_ < sizeof head) {
                torn_ = torn_ || at_ != end_;
                return false;
            }
            ::fseek(file_, static_cast<long>(at_), SEEK_SET);
            if (::fread(&head, sizeof head, 1, file_) != 1)
                return false;
            const bool plausible = head.magic == chunk_magic &&
                                   head.stored_bytes <= most_stored_bytes &&
                                   head.raw_bytes <= most_raw_bytes && head.compressed <= 1;
            if (plausible && head.stored_bytes > end_ - at_ - sizeof head) {
                torn_ = true; // or a length that is damaged: look behind its magic
            } else if (plausible) {
                if (wanted != chunk_kind{} && head.kind != wanted &&
                    head.kind != chunk_kind::about) {
                    raw_.clear();
                    at_ += sizeof head + head.stored_bytes;
                    return true;
                }
                if (load(head)) {
                    at_ += sizeof head + head.stored_bytes;
                    return true;
                }
                ++broken_;
            }
            if (!find_magic())
                return false;
        }
    }

    bool load(const chunk_head& head) {
        stored_.resize(head.stored_bytes);
        if (::fread(stored_.data(), 1, stored_.size(), file_) != stored_.size() ||
            checksum_of(head, stored_) != head.checksum || head.version != format_version)
            return false;
        if (head.compressed == 0) {
            raw_ = stored_;
            return true;
        }
        raw_.resize(head.raw_bytes);
        const std::size_t n = ::ZSTD_decompressDCtx(decompressor_, raw_.data(), raw_.size(),
                                                    stored_.data(), stored_.size());
        return !::ZSTD_isError(n) && n == raw_.size();
    }

    /// From behind the place where a chunk should have been.
    bool find_magic() {
        std::uint64_t from = at_ + 1;
        std::uint8_t part[4096];
        while (from + sizeof(chunk_head) <= end_) {
            ::fseek(file_, static_cast<long>(from), SEEK_SET);
            const std::size_t n = ::fread(part, 1, sizeof part, file_);
            for (std::size_t i = 0; i + 4 <= n; ++i)
                if (std::memcmp(part + i, &chunk_magic, 4) == 0) {
                    skipped_ += from + i - at_;
                    at_ = from + i;
                    return true;
                }
            if (n < 4)
                break;
            from += n - 3;
        }
        skipped_ += torn_ ? 0 : end_ - at_;
        torn_ = true;
        at_ = end_;
        return false;
    }

    std::FILE* file_;
    std::string path_;
    ZSTD_DCtx* decompressor_;
    std::uint64_t at_ = 0, end_ = 0, skipped_ = 0, broken_ = 0;
    bool torn_ = false;
    buffer stored_, raw_;
    chunk_contents now_;
};

bool read_modules(input in, std::uint32_t count, tables& known) {
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        module m;
        m.path = in.text();
        m.build_id = in.text();
        if (in.good())
            known.modules.push_back(std::move(m));
    }
    return in.good();
}

bool read_stacks(input in, std::uint32_t count, tables& known) {
    std::vector<frame> frames;
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        frames.clear();
        const std::uint64_t n = in.number();
        if (n > most_frames_of_a_stack)
            return false;
        for (std::uint64_t f = 0; f < n; ++f) {
            frame one;
            one.module = static_cast<std::uint32_t>(in.number());
            one.offset = in.number();
            if (one.module >= known.modules.size()) // it was in a chunk that is lost
                one = {0, one.offset};
            frames.push_back(one);
        }
        if (in.good())
            known.add_stack(frames);
    }
    return in.good();
}

bool read_name_table(input in, std::uint32_t count, tables& known) {
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        frame f;
        f.module = static_cast<std::uint32_t>(in.number());
        f.offset = in.number();
        name n;
        n.function = in.text();
        n.file = in.text();
        n.line = static_cast<std::uint32_t>(in.number());
        if (in.good())
            known.names[f] = std::move(n);
    }
    return in.good();
}

bool read_about(input in, std::uint32_t count, tables& known) {
    for (std::uint32_t i = 0; i < count && in.good(); ++i) {
        std::string key = in.text();
        std::string value = in.text();
        if (in.good())
            known.about[std::move(key)] = std::move(value);
    }
    return in.good();
}

} // namespace

bool read_chunk(const chunk_head& head, std::span<const std::uint8_t> raw, tables& known,
                chunk_contents& contents) {
    switch (head.kind) {
    case chunk_kind::about:
        return read_about(input{raw}, head.items, known);
    case chunk_kind::modules:
        return read_modules(input{raw}, head.items, known);
    case chunk_kind::stacks:
        return read_stacks(input{raw}, head.items, known);
    case chunk_kind::names:
        return read_name_table(input{raw}, head.items, known);
    case chunk_kind::events:
        return decode(raw, head.items, head.thread, contents.events);
    case chunk_kind::observations_without_ends:
    case chunk_kind::observations:
        return decode(raw, head.items, head.kind == chunk_kind::observations,
                      contents.observations);
    default:
        return true; // of a later version: it adds only
    }
}

std::unique_ptr<source> open(const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr)
        throw bad_trace(path + " cannot be read: " + std::strerror(errno));
    chunk_head head;
    const std::size_t n = std::fread(&head, 1, sizeof head, file);
    if (n >= 6 && head.magic == chunk_magic) {
        if (head.version != format_version) {
            std::fclose(file);
            throw bad_trace(path + " is a trace of version " + std::to_string(head.version) +
                            "; this program reads version " + std::to_string(format_version));
        }
        return std::make_unique<chunked_source>(file, path);
    }
    std::fclose(file);
    if (n == 0)
        throw bad_trace(path + " is empty");
    if (auto older = open_older(path))
        return older;
    constexpr char elf[] = {0x7f, 'E', 'L', 'F'};
    if (n >= sizeof elf && std::memcmp(&head, elf, sizeof elf) == 0)
        throw bad_trace(path + " is no trace but a program: `arenite record -- " + path +
                        "` makes a trace of one");
    throw bad_trace(path + " is no trace: it does not begin like one");
}

} // namespace arenite::trace
