// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "writer.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

namespace arenite::trace {

writer::writer(const std::string& path, int level, std::uint32_t events_a_chunk)
    : file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)},
      compressor_{nullptr}, events_a_chunk_{events_a_chunk} {
    if (file_ < 0)
        throw bad_trace(path + " cannot be written: " + std::strerror(errno));
    compressor_ = ::ZSTD_createCCtx();
    ::ZSTD_CCtx_setParameter(compressor_, ZSTD_c_compressionLevel, level);
}

writer::~writer() {
    flush();
    ::ZSTD_freeCCtx(compressor_);
    ::close(file_);
}

void writer::flush() {
    if (!observations_.empty()) {
        buffer raw;
        encode(observations_, raw);
        chunk(chunk_kind::observations, static_cast<std::uint32_t>(observations_.size()), 0, raw);
        observations_.clear();
        waiting_accesses_ = 0;
    }
    if (const std::uint32_t count = events_.count(); count != 0) {
        const std::uint32_t thread = events_.first_thread();
        chunk(chunk_kind::events, count, thread, events_.take());
    }
}

void writer::chunk(chunk_kind kind, std::uint32_t items, std::uint32_t thread, const buffer& raw) {
    if (!failed_.empty())
        return;
    chunk_head head;
    head.kind = kind;
    head.items = items;
    head.thread = thread;
    head.raw_bytes = static_cast<std::uint32_t>(raw.size());
    compressed_.resize(::ZSTD_compressBound(raw.size()));
    const std::size_t n = ::ZSTD_compress2(compressor_, compressed_.data(), compressed_.size(),
                                           raw.data(), raw.size());
    const bool smaller = !::ZSTD_isError(n) && n < raw.size();
    const std::span<const std::uint8_t> stored =
        smaller ? std::span{compressed_}.first(n) : std::span{raw};
    head.compressed = smaller ? 1 : 0;
    head.stored_bytes = static_cast<std::uint32_t>(stored.size());
    head.checksum = checksum_of(head, stored);
    if (!write(&head, sizeof head) || !write(stored.data(), stored.size())) {
        (void)!::ftruncate(file_, static_cast<off_t>(written_)); // what is no file cannot be cut
        return;
    }
    written_ += sizeof head + stored.size();
    if (kind == chunk_kind::events)
        events_written_ += items;
}

bool writer::write(const void* data, std::size_t count) {
    const auto* at = static_cast<const char*>(data);
    while (count > 0) {
        const ssize_t n = ::write(file_, at, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            failed_ = std::strerror(n < 0 ? errno : ENOSPC);
            return false;
        }
        at += n;
        count -= static_cast<std::size_t>(n);
    }
    return true;
}

void writer::put_modules(std::span<const module> all) {
    if (all.empty())
        return;
    buffer raw;
    for (const module& m : all) {
        trace::put(raw, m.path);
        trace::put(raw, m.build_id);
    }
    chunk(chunk_kind::modules, static_cast<std::uint32_t>(all.size()), 0, raw);
}

void writer::put_stacks(std::span<const std::vector<frame>> all) {
    for (std::size_t done = 0; done < all.size();) {
        buffer raw;
        std::uint32_t count = 0;
        for (; done < all.size() && count < most_events; ++count, ++done) {
            trace::put(raw, all[done].size());
            for (const frame& f : all[done]) {
                trace::put(raw, f.module);
                trace::put(raw, f.offset);
            }
        }
        chunk(chunk_kind::stacks, count, 0, raw);
    }
}

void writer::put_names(std::span<const std::pair<frame, name>> all) {
    for (std::size_t done = 0; done < all.size();) {
        buffer raw;
        std::uint32_t count = 0;
        for (; done < all.size() && raw.size() < most_raw_bytes / 4; ++count, ++done) {
            const auto& [f, n] = all[done];
            trace::put(raw, f.module);
            trace::put(raw, f.offset);
            trace::put(raw, n.function);
            trace::put(raw, n.file);
            trace::put(raw, n.line);
        }
        chunk(chunk_kind::names, count, 0, raw);
    }
}

void writer::put_about(const std::map<std::string, std::string>& words) {
    buffer raw;
    for (const auto& [key, value] : words) {
        trace::put(raw, key);
        trace::put(raw, value);
    }
    chunk(chunk_kind::about, static_cast<std::uint32_t>(words.size()), 0, raw);
}

} // namespace arenite::trace
