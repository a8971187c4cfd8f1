// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Reads the limits of control groups, version 2: the lowest of the process's group and of those
// above it; and how much of the time processes waited for memory. The files are read anew at each
// call and with no memory but the stack: a program asks when memory is short. Read
// memory_limits::read(folder, root) first.
#include <arenite/os/memory_limits.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

#if defined(__linux__)

namespace {

constexpr std::size_t path_bytes = 1024;

/// The beginning of a file; empty where there is none.
class file_begin {
public:
    file_begin(const char* folder, const char* name) noexcept {
        char path[path_bytes];
        const int length = std::snprintf(path, sizeof path, "%s/%s", folder, name);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path)
            return;
        std::FILE* const file = std::fopen(path, "re");
        if (file == nullptr)
            return;
        size_ = std::fread(text_, 1, sizeof text_, file);
        std::fclose(file);
    }
    [[nodiscard]] std::string_view text() const noexcept { return {text_, size_}; }

private:
    char text_[4096];
    std::size_t size_ = 0;
};

/// "max" is no number: there is no limit.
std::optional<std::uint64_t> number_in(const char* folder, const char* name) noexcept {
    const file_begin file{folder, name};
    const std::string_view text = file.text();
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    // Something else behind the number: not a file of this kind.
    if (error != std::errc{} || (end != text.data() + text.size() && *end != '\n'))
        return std::nullopt;
    return n;
}

/// "some avg10=1.53 avg60=...": the first number.
std::optional<double> stalled_in(const char* folder, const char* name) noexcept {
    const file_begin file{folder, name};
    constexpr std::string_view before = "some avg10=";
    const std::string_view text = file.text();
    const std::size_t at = text.find(before);
    if (at == text.npos)
        return std::nullopt;
    const char* const last = text.data() + text.size();
    unsigned whole = 0;
    const auto [point, error] = std::from_chars(text.data() + at + before.size(), last, whole);
    if (error != std::errc{})
        return std::nullopt;
    unsigned hundredths = 0;
    if (last - point >= 3 && *point == '.')
        static_cast<void>(std::from_chars(point + 1, point + 3, hundredths));
    return whole + hundredths / 100.0;
}

void lower(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> other) noexcept {
    if (other && (!least || *other < *least))
        least = other;
}

} // namespace

memory_limits memory_limits::read(const char* folder, const char* root) noexcept {
    memory_limits found;
    const std::size_t least = std::strlen(root);
    char path[path_bytes];
    std::size_t length = std::strlen(folder);
    if (length >= sizeof path || length < least || std::memcmp(folder, root, least) != 0)
        return found;
    std::memcpy(path, folder, length + 1);
    found.bytes_in_use = number_in(path, "memory.current");
    found.stalled_percent = stalled_in(path, "memory.pressure");
    for (;;) {
        // A group is bound by all groups above it, whatever its own file says.
        lower(found.most_bytes, number_in(path, "memory.max"));
        lower(found.slowed_bytes, number_in(path, "memory.high"));
        while (length > least && path[length - 1] != '/')
            --length;
        if (length <= least)
            break;
        path[--length] = '\0'; // the folder above
    }
    return found;
}

/// The line "0::/user.slice/..." of /proc/self/cgroup is that of version 2.
memory_limits memory_limits::read() noexcept {
    constexpr const char* root = "/sys/fs/cgroup";
    const file_begin groups{"/proc/self", "cgroup"};
    const std::string_view text = groups.text();
    char path[path_bytes];
    std::snprintf(path, sizeof path, "%s", root);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("0::/"))
            std::snprintf(path, sizeof path, "%s%.*s", root, static_cast<int>(line.size() - 3),
                          line.data() + 3);
    }
    if (const std::size_t n = std::strlen(path); path[n - 1] == '/')
        path[n - 1] = '\0';
    memory_limits found = read(path, root);
    if (!found.stalled_percent)
        // That of the whole machine, where the group tells none.
        found.stalled_percent = stalled_in("/proc/pressure", "memory");
    return found;
}

#else

memory_limits memory_limits::read(const char*, const char*) noexcept { return {}; }
memory_limits memory_limits::read() noexcept { return {}; }

#endif

} // namespace ARENITE_ABI
} // namespace arenite
