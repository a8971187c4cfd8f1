// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

// Programs that deserve one advice, or none.
namespace {

/// A buffer that exporters append to: each time a little longer, and all of it copied.
class buffer {
public:
    buffer() = default;
    ~buffer() { delete[] data_; }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    [[gnu::noinline]] void grow(std::size_t by) {
        char* const longer = new char[bytes_ + by];
        if (data_ != nullptr)
            std::memcpy(longer, data_, bytes_);
        delete[] data_;
        data_ = longer;
        std::memset(data_ + bytes_, 1, by);
        bytes_ += by;
    }
    [[nodiscard]] long sum() const {
        long s = 0;
        for (std::size_t i = 0; i < bytes_; i += 997)
            s += data_[i];
        return s;
    }

private:
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

double calculates() {
    double x = 0;
    for (int i = 1; i < 8'000'000; ++i)
        x += std::sqrt(double(i));
    return x;
}

} // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    if (what == "grows") {
        buffer b;
        for (int i = 0; i < 2000; ++i)
            b.grow(1024);
        std::printf("%ld\n", b.sum());
    } else if (what == "calculates") {
        for (int i = 0; i < 100; ++i)
            delete new int{i};
        std::printf("%f\n", calculates());
    } else if (what == "tells") { // where its object lies: near the program, or among the mappings
        const auto* p = new int{1};
        std::printf("%zx\n", reinterpret_cast<std::size_t>(p) >> 44);
        delete p;
    }
    return 0;
}
