// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A text that grows where it lies, in memory on the stack: no call of malloc, no second copy.
#include <arenite/core/literals.hpp>
#include <arenite/linear/inline_linear_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

using namespace arenite::literals;

// Takes any linear_resource; an inline one converts.
class text {
public:
    explicit text(arenite::linear_resource& memory)
        : memory_{memory}, begin_{static_cast<char*>(memory.allocate(1, 1))} {}

    bool append(std::string_view more) {
        if (!memory_.try_resize(begin_, size_ + 1, size_ + more.size() + 1))
            return false; // full, or something else was allocated since
        std::memcpy(begin_ + size_, more.data(), more.size());
        size_ += more.size();
        begin_[size_] = '\0';
        return true;
    }

    const char* c_str() const { return begin_; }

private:
    arenite::linear_resource& memory_;
    char* begin_;
    std::size_t size_ = 0;
};

int main() {
    arenite::inline_linear_resource<1_KiB> memory;
    text path{memory};
    bool fits = true;
    for (const char* part : {"city", "/block 7", "/house 12", "/roof"})
        fits = fits && path.append(part);
    std::printf("%s: %zu of %zu bytes\n", path.c_str(), memory.in_use(), memory.capacity());
    return fits && std::string_view{path.c_str()} == "city/block 7/house 12/roof" ? 0 : 1;
}
