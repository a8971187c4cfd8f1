// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A snapshot of a restorable_heap as a file: a head, the pages that it has, and a checksum; reading
// one refuses what is no such file or is cut off. Read describe() first, which fills the header and
// both sums; write() and read_from() follow its order. A file is trusted in nothing: its lengths
// are compared with the file's before memory is asked for, the order of page numbers with itself,
// and all bytes with a sum.
#include <arenite/freelist/heap_snapshot.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::page_copies;

namespace {

#define ARENITE_TEXT_OF(name) #name
#define ARENITE_TEXT(name) ARENITE_TEXT_OF(name)
constexpr char image_magic[16] = "arenite heap 1\n";
/// Checked and other builds lay their heaps out in different ways: the name of the ABI tells them
/// apart.
constexpr char image_build[40] = ARENITE_TEXT(ARENITE_ABI_NAME);
#undef ARENITE_TEXT
#undef ARENITE_TEXT_OF

/// On a machine with another order of bytes it is read as another number.
constexpr std::uint64_t image_byte_order = 0x0102030405060708;

/// A check on whole words, in order.
class check_sum {
public:
    void add(const void* bytes, std::size_t n) noexcept {
        const auto* p = static_cast<const std::byte*>(bytes);
        // All that is added has a length in whole words: parts of the header, page numbers, pages.
        for (; n != 0; n -= sizeof(std::uint64_t), p += sizeof(std::uint64_t)) {
            std::uint64_t word;
            std::memcpy(&word, p, sizeof word);
            sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15;
            sum_ ^= sum_ >> 32;
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 0xcbf29ce484222325;
};

struct close_file {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

} // namespace

/// At the start of a file; then, for each page that is not all zeros, its number and its bytes.
struct heap_snapshot::header {
    char magic[16];
    char build[40];
    std::uint64_t byte_order;
    std::uint64_t page_bytes;
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t layout;
    std::uint64_t pages; ///< of the table
    std::uint64_t copied;
    std::uint64_t head_sum; ///< of all before it: no memory is asked for by a damaged header
    std::uint64_t sum;      ///< of all before and behind it
};

heap_snapshot::header heap_snapshot::describe() const noexcept {
    header h{};
    std::memcpy(h.magic, image_magic, sizeof h.magic);
    std::memcpy(h.build, image_build, sizeof h.build);
    h.byte_order = image_byte_order;
    h.page_bytes = page_copies::page_bytes;
    h.address = address_;
    h.bytes = bytes_;
    h.layout = layout_;
    h.pages = pages_.count();
    h.copied = pages_.copied();
    check_sum head;
    head.add(&h, offsetof(header, head_sum));
    h.head_sum = head.value();
    check_sum sum;
    sum.add(&h, offsetof(header, sum));
    for (std::uint64_t i = 0; i < h.pages; ++i) {
        if (const page_copies::copy* const c = pages_.at(static_cast<std::size_t>(i))) {
            // Its number is summed up as well: a page in another's place is noticed.
            sum.add(&i, sizeof i);
            sum.add(c->bytes, sizeof c->bytes);
        }
    }
    h.sum = sum.value();
    return h;
}

bool heap_snapshot::write(const char* path) const noexcept {
    char beside[4096];
    // Written beside and renamed at the end: whoever opens the name finds the old file or the whole
    // new one.
    const int length = std::snprintf(beside, sizeof beside, "%s.new", path);
    if (!*this || length < 0 || static_cast<std::size_t>(length) >= sizeof beside)
        return false;
    open_file to{std::fopen(beside, "wb")};
    if (to == nullptr)
        return false;
    const header h = describe();
    bool written = std::fwrite(&h, sizeof h, 1, to.get()) == 1;
    for (std::uint64_t i = 0; written && i < h.pages; ++i) {
        if (const page_copies::copy* const c = pages_.at(static_cast<std::size_t>(i)))
            written = std::fwrite(&i, sizeof i, 1, to.get()) == 1 &&
                      std::fwrite(c->bytes, sizeof c->bytes, 1, to.get()) == 1;
    }
    // A full disk may be reported only here.
    written = std::fclose(to.release()) == 0 && written;
#if defined(_WIN32)
    if (written)
        std::remove(path); // a file of that name keeps another one from getting it
#endif
    if (written && std::rename(beside, path) == 0)
        return true;
    std::remove(beside);
    return false;
}

/// next(to, n) reads n bytes, or says that there are fewer.
template <class Source>
heap_snapshot heap_snapshot::read_from(Source&& next, std::uint64_t file_bytes) noexcept {
    header h;
    if (file_bytes < sizeof h || !next(&h, sizeof h))
        return heap_snapshot{"the file is too short for a snapshot of a heap"};
    if (std::memcmp(h.magic, image_magic, sizeof h.magic) != 0)
        return heap_snapshot{"the file is no snapshot of a heap, or of another version of them"};
    if (std::memcmp(h.build, image_build, sizeof h.build) != 0)
        return heap_snapshot{"the snapshot is of another version or build of the library"};
    constexpr std::uint64_t page = page_copies::page_bytes;
    if (h.byte_order != image_byte_order || h.page_bytes != page || h.bytes > SIZE_MAX ||
        h.address > UINTPTR_MAX)
        return heap_snapshot{"the snapshot is of another kind of machine"};
    constexpr std::uint64_t entry_bytes = sizeof(std::uint64_t) + page;
    if (h.bytes % page != 0 || h.address % page != 0 || h.pages < 2 || h.pages > h.bytes / page ||
        h.copied > h.pages)
        return heap_snapshot{"the snapshot is damaged: its header contradicts itself"};
    // Before anything is allocated: a header of a cut file may ask for any number of pages.
    if ((file_bytes - sizeof h) / entry_bytes != h.copied ||
        (file_bytes - sizeof h) % entry_bytes != 0)
        return heap_snapshot{"the snapshot is not whole: the file has another length"};
    check_sum head;
    head.add(&h, offsetof(header, head_sum));
    if (head.value() != h.head_sum)
        return heap_snapshot{"the snapshot is damaged: its check sum is another"};
    heap_snapshot made;
    if (!made.pages_.make(static_cast<std::size_t>(h.pages)))
        return heap_snapshot{"there is no memory for the snapshot"};
    check_sum sum;
    sum.add(&h, offsetof(header, sum));
    std::uint64_t least = 0;
    for (std::uint64_t n = 0; n < h.copied; ++n) {
        std::uint64_t i = 0;
        if (!next(&i, sizeof i))
            return heap_snapshot{"the file cannot be read"};
        // Rising numbers only: no page comes twice, and add() finds its place empty.
        if (i < least || i >= h.pages)
            return heap_snapshot{"the snapshot is damaged: its pages are in no order"};
        least = i + 1;
        std::byte* const to = made.pages_.add(static_cast<std::size_t>(i));
        if (to == nullptr)
            return heap_snapshot{"there is no memory for the snapshot"};
        if (!next(to, static_cast<std::size_t>(page)))
            return heap_snapshot{"the file cannot be read"};
        sum.add(&i, sizeof i);
        sum.add(to, static_cast<std::size_t>(page));
    }
    if (sum.value() != h.sum)
        return heap_snapshot{"the snapshot is damaged: its check sum is another"};
    made.address_ = static_cast<std::uintptr_t>(h.address);
    made.bytes_ = static_cast<std::size_t>(h.bytes);
    made.layout_ = h.layout;
    made.why_ = "";
    return made;
}

heap_snapshot heap_snapshot::read(const char* path) noexcept {
    const open_file from{std::fopen(path, "rb")};
    if (from == nullptr)
        return heap_snapshot{"the file cannot be opened"};
    if (std::fseek(from.get(), 0, SEEK_END) != 0)
        return heap_snapshot{"the file cannot be read"};
    const long bytes = std::ftell(from.get());
    if (bytes < 0 || std::fseek(from.get(), 0, SEEK_SET) != 0)
        return heap_snapshot{"the file cannot be read"};
    return read_from([&](void* to, std::size_t n) { return std::fread(to, n, 1, from.get()) == 1; },
                     static_cast<std::uint64_t>(bytes));
}

heap_snapshot heap_snapshot::read(std::span<const std::byte> file) noexcept {
    std::size_t at = 0;
    return read_from(
        [&](void* to, std::size_t n) {
            if (file.size() - at < n)
                return false;
            std::memcpy(to, file.data() + at, n);
            at += n;
            return true;
        },
        file.size());
}

} // namespace ARENITE_ABI
} // namespace arenite
