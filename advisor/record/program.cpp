// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "../verb.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gelf.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

extern "C" char** environ; // NOLINT: the C library's

namespace arenite::advisor {
namespace {

std::string along_path(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    const char* const variable = std::getenv("PATH");
    std::string path = variable != nullptr ? variable : "/usr/bin:/bin";
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string folder = path.substr(at, end - at);
        const std::string file = (folder.empty() ? "." : folder) + "/" + name;
        if (struct stat s; ::access(file.c_str(), X_OK) == 0 && ::stat(file.c_str(), &s) == 0 &&
                           S_ISREG(s.st_mode))
            return file;
        at = end + 1;
    }
    throw bad_input(name + " was not found in PATH");
}

/// The bytes of a file, for looking.
class file_image {
public:
    explicit file_image(const std::string& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat s {};
        if (file >= 0 && ::fstat(file, &s) == 0 && s.st_size > 0) {
            size_ = static_cast<std::size_t>(s.st_size);
            void* p = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
            data_ = p == MAP_FAILED ? nullptr : static_cast<const char*>(p);
        }
        if (file >= 0)
            ::close(file);
    }
    ~file_image() {
        if (data_ != nullptr)
            ::munmap(const_cast<char*>(data_), size_);
    }
    file_image(const file_image&) = delete;
    file_image& operator=(const file_image&) = delete;

    [[nodiscard]] bool begins_with(const char* magic, std::size_t n) const {
        return size() >= n && std::memcmp(data_, magic, n) == 0;
    }
    [[nodiscard]] std::size_t size() const { return data_ != nullptr ? size_ : 0; }
    [[nodiscard]] const char* data() const { return data_; }
    template <class T>
    [[nodiscard]] const T* at(std::uint64_t offset) const {
        return offset <= size() && sizeof(T) <= size() - offset
                   ? reinterpret_cast<const T*>(data_ + offset)
                   : nullptr;
    }

private:
    const char* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The system takes LD_PRELOAD from a program that gets rights by being run: those of another user
/// or group, or capabilities, which root has anyhow.
bool has_other_rights(const std::string& path, const struct stat& s) {
    const bool another_user = (s.st_mode & S_ISUID) != 0 && s.st_uid != ::getuid();
    const bool another_group =
        (s.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && s.st_gid != ::getgid();
    return another_user || another_group ||
           (::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

void refuse_elf(const std::string& path, const file_image& image) {
    const auto* head = image.at<ElfW(Ehdr)>(0);
    if (head == nullptr)
        throw bad_input(path + " is broken: it is shorter than the head of a program");
#if defined(__x86_64__)
    constexpr unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
    constexpr unsigned machine = EM_AARCH64;
#else
    const unsigned machine = head->e_machine;
#endif
    if (head->e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_machine != machine)
        throw bad_input(path + " is for another architecture than this program, whose library "
                               "cannot be loaded into it");
    bool interpreted = false;
    for (unsigned i = 0; i < head->e_phnum; ++i) {
        const auto* p = image.at<ElfW(Phdr)>(head->e_phoff + i * sizeof(ElfW(Phdr)));
        interpreted = interpreted || (p != nullptr && p->p_type == PT_INTERP);
    }
    if (!interpreted)
        throw bad_input(path + " is statically linked: no library can be loaded before its own. "
                               "Link it dynamically, or use recording_resource in its source");
    for (const char* runtime :
         {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", "__lsan_init"})
        if (names_dynamic_symbol(path, runtime, false)) // a compiler has such words, too
            throw bad_input(path + " is built with a sanitizer, which has a malloc of its own. "
                                   "Record a build without it");
}

} // namespace

std::string find_program_to_preload(const std::string& name) {
    std::string path = along_path(name);
    std::string looked_at = path;
    for (int depth = 0; depth < 4; ++depth) {
        struct stat s {};
        if (::stat(looked_at.c_str(), &s) != 0)
            throw bad_input(fmt::format("{} cannot be run: {}", looked_at, std::strerror(errno)));
        if (!S_ISREG(s.st_mode) || ::access(looked_at.c_str(), X_OK) != 0)
            throw bad_input(looked_at + " is no program that can be run");
        if (has_other_rights(looked_at, s))
            throw bad_input(looked_at + " runs with the rights of another user (set-uid): the "
                                        "system loads no library of ours into it");
        const file_image image{looked_at};
        if (image.begins_with(ELFMAG, SELFMAG)) {
            refuse_elf(looked_at, image);
            return path;
        }
        if (!image.begins_with("#!", 2))
            throw bad_input(looked_at + " is no program that can be run: neither ELF nor a script");
        std::ifstream script{looked_at};
        std::string line;
        std::getline(script, line);
        const std::size_t from = line.find_first_not_of(" \t", 2);
        if (from == std::string::npos)
            return path;
        looked_at = line.substr(from, line.find_first_of(" \t", from) - from);
    }
    return path;
}

std::string own_library(const std::string& name) {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const std::filesystem::path folder = program.parent_path();
    const char* const told = std::getenv("ARENITE_LIBRARY_PATH");
    for (const std::filesystem::path& candidate :
         {told != nullptr ? std::filesystem::path{told} / name : folder / name, folder / name,
          folder / ".." / ARENITE_LIBRARY_FOLDER / name,
          folder / ".." / ARENITE_LIBRARY_FOLDER / ".." / name, folder / ".." / "lib" / name,
          folder / ".." / "malloc" / name}) // where it is built
        if (std::filesystem::exists(candidate))
            return std::filesystem::canonical(candidate).string();
    throw bad_input(fmt::format("{} is missing: it belongs beside {} or into its ../{}", name,
                                program.string(), ARENITE_LIBRARY_FOLDER));
}

std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                 const std::string& preloaded) {
    std::vector<std::string> all;
    std::string preload = preloaded.empty() ? "" : "LD_PRELOAD=" + preloaded;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view v{*variable};
        if (v.starts_with("LD_PRELOAD=")) {
            if (!preload.empty())
                preload += ":" + std::string{v.substr(11)};
            else
                preload = v;
            continue;
        }
        bool replaced = false;
        for (const auto& [name, value] : variables)
            replaced = replaced || v.starts_with(name + "=");
        if (!replaced)
            all.emplace_back(v);
    }
    for (const auto& [name, value] : variables)
        all.push_back(name + "=" + value);
    if (!preload.empty())
        all.push_back(preload);
    return all;
}

bool names_dynamic_symbol(const std::string& path, const char* wanted, bool defined) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool found = false;
    ::elf_version(EV_CURRENT);
    if (Elf* const elf = ::elf_begin(file, ELF_C_READ_MMAP, nullptr)) {
        for (Elf_Scn* s = nullptr; !found && (s = ::elf_nextscn(elf, s)) != nullptr;) {
            GElf_Shdr head;
            if (::gelf_getshdr(s, &head) == nullptr || head.sh_type != SHT_DYNSYM ||
                head.sh_entsize == 0)
                continue;
            Elf_Data* const data = ::elf_getdata(s, nullptr);
            const auto count = static_cast<int>(head.sh_size / head.sh_entsize);
            for (int i = 0; data != nullptr && i < count && !found; ++i) {
                GElf_Sym symbol;
                if (::gelf_getsym(data, i, &symbol) == nullptr ||
                    (defined && symbol.st_shndx == SHN_UNDEF))
                    continue;
                const char* const name = ::elf_strptr(elf, head.sh_link, symbol.st_name);
                found = name != nullptr && std::strcmp(name, wanted) == 0;
            }
        }
        ::elf_end(elf);
    }
    ::close(file);
    return found;
}

bool has_arenite(const std::string& path) {
    const file_image image{path};
    if (!image.begins_with(ELFMAG, SELFMAG)) // a script
        return false;
    const std::string_view all{image.data(), image.size()};
    const auto names = [&](const char* word) { return all.find(word) != all.npos; };
    // A variable that each heap asks for, so it is there also where names of symbols are not.
    return names("ARENITE_PASSTHROUGH") || names("libarenite.so") || names("libarenite-checked.so");
}

std::string build_id_of(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return {};
    std::string text;
    ::elf_version(EV_CURRENT);
    if (Elf* elf = ::elf_begin(file, ELF_C_READ_MMAP, nullptr)) {
        const void* id = nullptr;
        if (const ssize_t n = ::dwelf_elf_gnu_build_id(elf, &id); n > 0)
            for (ssize_t i = 0; i < n; ++i)
                text += fmt::format("{:02x}", static_cast<const unsigned char*>(id)[i]);
        ::elf_end(elf);
    }
    ::close(file);
    return text;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string shell_word(const std::string& word) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::strchr("_-./=:,+@%", c) != nullptr;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain))
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    return text + "'";
}

std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "KB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < units.size(); ++unit)
        bytes /= 1000;
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

} // namespace arenite::advisor
