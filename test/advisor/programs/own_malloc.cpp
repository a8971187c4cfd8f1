// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdlib>
#include <cstring>

// A program with a malloc of its own, which libraries call, too; `new` is the C++ library's.
namespace {
alignas(16) char memory[1 << 22];
std::size_t taken = 0;
} // namespace

extern "C" {
void* malloc(std::size_t bytes) {
    const std::size_t needed = (bytes + 31) / 16 * 16;
    if (needed > sizeof memory - taken)
        return nullptr;
    char* const p = memory + taken + 16;
    std::memcpy(p - 16, &bytes, sizeof bytes);
    taken += needed;
    return p;
}
void free(void*) {}
void* calloc(std::size_t count, std::size_t bytes) { return std::malloc(count * bytes); }
void* realloc(void* p, std::size_t bytes) {
    void* const made = std::malloc(bytes);
    if (p != nullptr && made != nullptr) {
        std::size_t before;
        std::memcpy(&before, static_cast<char*>(p) - 16, sizeof before);
        std::memcpy(made, p, before < bytes ? before : bytes);
    }
    return made;
}
}

int main(int count, char**) {
    std::free(std::malloc(54001));
    if (count > 1) // with any word, it uses what is not its own, too
        ::operator delete(::operator new(54002));
    return 0;
}
