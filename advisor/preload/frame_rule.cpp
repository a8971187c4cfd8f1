// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "frame_rule.hpp"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

// The unwind tables of x86-64 (System V ABI; DWARF 5, 6.4), as far as compilers use them for code
// that calls: everything else is `beyond`, and left to the unwinder of the compiler.
namespace arenite::preload {
namespace {

constexpr frame_rule beyond_rule{frame_rule::special, frame_rule::beyond, 0};
constexpr frame_rule last_rule{frame_rule::special, frame_rule::last, 0};
constexpr unsigned rbp = 6, rsp = 7, return_column = 16;

template <class T>
T load(const unsigned char* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

struct cursor {
    const unsigned char* at;

    template <class T>
    T take() noexcept {
        const T value = load<T>(at);
        at += sizeof(T);
        return value;
    }
    std::uint64_t uleb() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const unsigned char byte = *at++;
            if (shift < 64)
                value |= std::uint64_t{byte & 127u} << shift;
            if (byte < 128)
                return value;
        }
    }
    std::int64_t sleb() noexcept {
        std::uint64_t value = 0;
        unsigned shift = 0;
        unsigned char byte;
        do {
            byte = *at++;
            if (shift < 64)
                value |= std::uint64_t{byte & 127u} << shift;
            shift += 7;
        } while (byte >= 128);
        if (shift < 64 && (byte & 64))
            value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
    }
    /// A pointer of an encoding that tables of loaded code use; false for others.
    bool pointer(unsigned char encoding, std::uint64_t& value) noexcept {
        const auto here = reinterpret_cast<std::uint64_t>(at);
        switch (encoding & 15) {
        case 0:
        case 4:
        case 12:
            value = take<std::uint64_t>();
            break;
        case 2:
            value = take<std::uint16_t>();
            break;
        case 3:
            value = take<std::uint32_t>();
            break;
        case 10:
            value = static_cast<std::uint64_t>(std::int64_t{take<std::int16_t>()});
            break;
        case 11:
            value = static_cast<std::uint64_t>(std::int64_t{take<std::int32_t>()});
            break;
        default:
            return false;
        }
        if ((encoding & 0x70) == 0x10)
            value += here;
        return (encoding & 0x70) <= 0x10 && !(encoding & 0x80);
    }
};

enum class saved : unsigned char { same, at_offset, at_rbp, other, undefined };

/// A row of the table: what is true at one address.
struct row {
    bool cfa_in_memory = false, cfa_told = false;
    std::uint64_t cfa_register = rsp;
    std::int64_t cfa_offset = 0;
    saved rbp_is = saved::same, return_is = saved::at_offset;
    std::int64_t rbp_offset = 0, return_offset = -8;

    void set(std::uint64_t reg, saved how, std::int64_t offset = 0) noexcept {
        if (reg == rbp) {
            rbp_is = how;
            rbp_offset = offset;
        } else if (reg == return_column) {
            return_is = how;
            return_offset = offset;
        } else if (reg == rsp) {
            cfa_told = false; // a caller's stack pointer that is not the frame's address
        }
    }
};

/// The contents of a common information entry.
struct common_entry {
    std::uint64_t code_factor = 1;
    std::int64_t data_factor = -8;
    unsigned char pointers = 0;
    bool has_augmentation = false, signal = false;
    const unsigned char *begin = nullptr, *end = nullptr;
};

bool read_common(const unsigned char* at, common_entry& c) noexcept {
    cursor in{at};
    const auto length = in.take<std::uint32_t>();
    if (length == 0 || length == UINT32_MAX)
        return false;
    c.end = in.at + length;
    if (in.take<std::uint32_t>() != 0)
        return false;
    const auto version = in.take<unsigned char>();
    const char* augmentation = reinterpret_cast<const char*>(in.at);
    in.at += std::strlen(augmentation) + 1;
    c.code_factor = in.uleb();
    c.data_factor = in.sleb();
    const std::uint64_t column = version == 1 ? in.take<unsigned char>() : in.uleb();
    if (column != return_column)
        return false;
    if (*augmentation == 'z') {
        c.has_augmentation = true;
        const std::uint64_t bytes = in.uleb();
        c.begin = in.at + bytes;
        for (const char* letter = augmentation + 1; *letter; ++letter) {
            std::uint64_t unused;
            if (*letter == 'R')
                c.pointers = in.take<unsigned char>();
            else if (*letter == 'L')
                ++in.at;
            else if (*letter == 'S')
                c.signal = true;
            else if (*letter == 'P') {
                const auto encoding = in.take<unsigned char>();
                if (!in.pointer(encoding & 15, unused))
                    return false;
            } else if (*letter != 'B')
                return false;
        }
    } else if (*augmentation == 0) {
        c.begin = in.at;
    } else {
        return false;
    }
    return true;
}

/// Carries out instructions up to the row that covers `target`.
class interpreter {
public:
    interpreter(const common_entry& common, std::uint64_t begin, std::uint64_t target) noexcept
        : common_{common}, location_{begin}, target_{target} {}

    [[nodiscard]] const row& now() const noexcept { return now_; }
    void keep_initial() noexcept { initial_ = now_; }

    /// false: an instruction that is not known here.
    bool run(const unsigned char* begin, const unsigned char* end) noexcept {
        cursor in{begin};
        while (in.at < end && location_ <= target_)
            if (!step(in))
                return false;
        return true;
    }

private:
    void advance(std::uint64_t by) noexcept { location_ += by * common_.code_factor; }

    void restore(std::uint64_t reg) noexcept {
        if (reg == rbp)
            now_.set(reg, initial_.rbp_is, initial_.rbp_offset);
        else if (reg == return_column)
            now_.set(reg, initial_.return_is, initial_.return_offset);
    }

    void expression(cursor& in, std::uint64_t reg) noexcept {
        const std::uint64_t bytes = in.uleb();
        const bool at_rbp = bytes == 2 && in.at[0] == 0x70 + rbp && in.at[1] == 0;
        now_.set(reg, at_rbp ? saved::at_rbp : saved::other);
        in.at += bytes;
    }

    void cfa_expression(cursor& in) noexcept { // rbp + offset, and the word there
        const std::uint64_t bytes = in.uleb();
        const unsigned char* const end = in.at + bytes;
        now_.cfa_told = false;
        if (bytes > 2 && *in.at == 0x70 + rbp) {
            cursor inside{in.at + 1};
            now_.cfa_offset = inside.sleb();
            now_.cfa_told = now_.cfa_in_memory = inside.at + 1 == end && *inside.at == 6;
            now_.cfa_register = rbp;
        }
        in.at = end;
    }

    void cfa(std::uint64_t reg, std::int64_t offset) noexcept {
        now_.cfa_register = reg;
        now_.cfa_offset = offset;
        now_.cfa_told = true;
        now_.cfa_in_memory = false;
    }

    std::int64_t scaled(std::uint64_t n) const noexcept {
        return static_cast<std::int64_t>(n) * common_.data_factor;
    }

    bool step(cursor& in) noexcept {
        const unsigned char code = *in.at++;
        const unsigned low = code & 63u;
        switch (code & 0xC0) {
        case 0x40:
            advance(low);
            return true;
        case 0x80:
            now_.set(low, saved::at_offset, scaled(in.uleb()));
            return true;
        case 0xC0:
            restore(low);
            return true;
        default:
            return extended(code, in);
        }
    }

    bool extended(unsigned char code, cursor& in) noexcept {
        std::uint64_t reg;
        switch (code) {
        case 0x00: // nop
            return true;
        case 0x01: // set_loc
            return in.pointer(common_.pointers, location_);
        case 0x02:
            advance(in.take<std::uint8_t>());
            return true;
        case 0x03:
            advance(in.take<std::uint16_t>());
            return true;
        case 0x04:
            advance(in.take<std::uint32_t>());
            return true;
        case 0x05: // offset_extended
            reg = in.uleb();
            now_.set(reg, saved::at_offset, scaled(in.uleb()));
            return true;
        case 0x06:
            restore(in.uleb());
            return true;
        case 0x07:
            now_.set(in.uleb(), saved::undefined);
            return true;
        case 0x08:
            now_.set(in.uleb(), saved::same);
            return true;
        case 0x09: // register
            now_.set(in.uleb(), saved::other);
            in.uleb();
            return true;
        case 0x0A:
            if (depth_ == sizeof kept_ / sizeof *kept_)
                return false;
            kept_[depth_++] = now_;
            return true;
        case 0x0B:
            if (depth_ == 0)
                return false;
            now_ = kept_[--depth_];
            return true;
        case 0x0C: // def_cfa
            reg = in.uleb();
            cfa(reg, static_cast<std::int64_t>(in.uleb()));
            return true;
        case 0x0D: // def_cfa_register
            cfa(in.uleb(), now_.cfa_offset);
            return true;
        case 0x0E: // def_cfa_offset
            now_.cfa_offset = static_cast<std::int64_t>(in.uleb());
            return true;
        case 0x0F:
            cfa_expression(in);
            return true;
        case 0x10:
            expression(in, in.uleb());
            return true;
        case 0x11: // offset_extended_sf
            reg = in.uleb();
            now_.set(reg, saved::at_offset, in.sleb() * common_.data_factor);
            return true;
        case 0x12: // def_cfa_sf
            reg = in.uleb();
            cfa(reg, in.sleb() * common_.data_factor);
            return true;
        case 0x13:
            now_.cfa_offset = in.sleb() * common_.data_factor;
            return true;
        case 0x14: // val_offset
            now_.set(in.uleb(), saved::other);
            in.uleb();
            return true;
        case 0x16: // val_expression
            now_.set(in.uleb(), saved::other);
            in.at += in.uleb();
            return true;
        case 0x2E: // GNU_args_size
            in.uleb();
            return true;
        default:
            return false;
        }
    }

    const common_entry& common_;
    std::uint64_t location_, target_;
    row now_{}, initial_{}, kept_[8];
    unsigned depth_ = 0;
};

frame_rule rule_of(const row& r) noexcept {
    if (r.return_is == saved::undefined)
        return last_rule;
    if (!r.cfa_told || r.return_is != saved::at_offset || r.return_offset != -8 ||
        r.cfa_offset % 8 != 0 || r.rbp_is == saved::other || r.rbp_is == saved::undefined)
        return beyond_rule;
    frame_rule made{frame_rule::from_sp, 0, 0};
    if (r.cfa_in_memory)
        made.base = frame_rule::in_memory;
    else if (r.cfa_register == rbp)
        made.base = frame_rule::from_rbp;
    else if (r.cfa_register != rsp)
        return beyond_rule;
    // The two ways in which rbp is saved go with the two kinds of frames.
    if ((r.rbp_is == saved::at_rbp) != (made.base == frame_rule::in_memory))
        return beyond_rule;
    if (r.rbp_is == saved::at_offset) {
        if (r.rbp_offset >= 0 || r.rbp_offset % 8 != 0 || r.rbp_offset < -8 * 127)
            return beyond_rule;
        made.slot = static_cast<std::uint32_t>(-r.rbp_offset / 8);
    }
    const std::int64_t words = r.cfa_offset / 8 + frame_rule::bias;
    if (words < 0 || words >= 2 * std::int64_t{frame_rule::bias})
        return beyond_rule;
    made.offset = static_cast<std::uint32_t>(words);
    return made;
}

int note_object(dl_phdr_info* info, std::size_t, void* data) {
    struct search {
        std::uint64_t address;
        loaded_object* found;
    };
    auto& s = *static_cast<search*>(data);
    std::uint64_t begin = UINT64_MAX, end = 0, table = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
        const auto& p = info->dlpi_phdr[i];
        const std::uint64_t at = info->dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD) {
            begin = at < begin ? at : begin;
            end = at + p.p_memsz > end ? at + p.p_memsz : end;
        } else if (p.p_type == PT_GNU_EH_FRAME) {
            table = at;
        }
    }
    if (s.address < begin || s.address >= end)
        return 0;
    *s.found = {begin, end, info->dlpi_addr, info->dlpi_name,
                reinterpret_cast<const unsigned char*>(table)};
    return 1;
}

} // namespace

bool find_object(std::uint64_t address, loaded_object& found) noexcept {
#if defined(DLFO_STRUCT_HAS_EH_DBASE) || __GLIBC_PREREQ(2, 35)
    dl_find_object object;
    if (::_dl_find_object(reinterpret_cast<void*>(address), &object) != 0)
        return false;
    found = {reinterpret_cast<std::uint64_t>(object.dlfo_map_start),
             reinterpret_cast<std::uint64_t>(object.dlfo_map_end), object.dlfo_link_map->l_addr,
             object.dlfo_link_map->l_name, static_cast<const unsigned char*>(object.dlfo_eh_frame)};
    (void)&note_object;
    return true;
#else
    struct search {
        std::uint64_t address;
        loaded_object* found;
    } s{address, &found};
    return ::dl_iterate_phdr(note_object, &s) == 1;
#endif
}

frame_rule read_rule(std::uint64_t return_address, const unsigned char* table) noexcept {
    // version, three encodings: of .eh_frame's place, of the count, of the sorted pairs behind it.
    if (table == nullptr || table[0] != 1 || table[3] != 0x3B || table[2] != 3)
        return beyond_rule;
    cursor in{table + 4};
    std::uint64_t unused;
    if (!in.pointer(table[1], unused))
        return beyond_rule;
    const auto count = in.take<std::uint32_t>();
    const std::uint64_t target = return_address - 1;
    const auto base = reinterpret_cast<std::uint64_t>(table);
    const auto begins = [&](std::uint32_t i) {
        return base + static_cast<std::uint64_t>(std::int64_t{load<std::int32_t>(in.at + i * 8u)});
    };
    std::uint32_t low = 0, high = count; // the last that begins at or before target
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (begins(middle) <= target)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return beyond_rule;
    const unsigned char* const entry =
        table + load<std::int32_t>(in.at + std::size_t{low - 1} * 8 + 4);
    cursor e{entry};
    const auto length = e.take<std::uint32_t>();
    if (length == 0 || length == UINT32_MAX)
        return beyond_rule;
    const unsigned char* const end = e.at + length;
    common_entry common;
    if (!read_common(e.at - load<std::uint32_t>(e.at), common) || common.signal)
        return beyond_rule;
    e.at += 4;
    std::uint64_t begin, bytes;
    if (!e.pointer(common.pointers, begin) || !e.pointer(common.pointers & 15, bytes))
        return beyond_rule;
    if (target < begin || target - begin >= bytes)
        return beyond_rule;
    if (common.has_augmentation) {
        const std::uint64_t skipped = e.uleb();
        e.at += skipped;
    }
    interpreter rows{common, begin, target};
    if (!rows.run(common.begin, common.end))
        return beyond_rule;
    rows.keep_initial();
    if (!rows.run(e.at, end))
        return beyond_rule;
    return rule_of(rows.now());
}

} // namespace arenite::preload
