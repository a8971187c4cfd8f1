// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// zlib with its memory in an affinity: there and back, and the hook by itself.
#include <arenite/interop/zlib.hpp>

#include "interop_test.hpp"

#include <zlib.h>

#include <climits>
#include <string>

using namespace interop_test;
using zlib_memory = arenite::zlib_memory<>;

namespace {

void there_and_back() {
    std::string text;
    for (int i = 0; i < 20'000; ++i)
        text += std::to_string(i * i % 977);
    std::string packed(text.size(), '\0');
    std::string again(text.size(), '\0');

    z_stream out{};
    zlib_memory::set(out);
    EXPECT(deflateInit(&out, 9) == Z_OK);
    EXPECT(in_use<arenite::affinities::zlib>() >= 200'000); // its window and tables
    EXPECT(is_reported("zlib"));
    out.next_in = reinterpret_cast<Bytef*>(text.data());
    out.avail_in = static_cast<uInt>(text.size());
    out.next_out = reinterpret_cast<Bytef*>(packed.data());
    out.avail_out = static_cast<uInt>(packed.size());
    EXPECT(deflate(&out, Z_FINISH) == Z_STREAM_END);
    const uLong bytes = out.total_out;
    EXPECT(deflateEnd(&out) == Z_OK);

    z_stream in{};
    zlib_memory::set(in);
    EXPECT(inflateInit(&in) == Z_OK);
    in.next_in = reinterpret_cast<Bytef*>(packed.data());
    in.avail_in = static_cast<uInt>(bytes);
    in.next_out = reinterpret_cast<Bytef*>(again.data());
    in.avail_out = static_cast<uInt>(again.size());
    EXPECT(inflate(&in, Z_FINISH) == Z_STREAM_END);
    EXPECT(inflateEnd(&in) == Z_OK);
    EXPECT(again == text);
    EXPECT(in_use<arenite::affinities::zlib>() == 0);
}

void the_hook_by_itself() {
    void* const p = zlib_memory::allocate(nullptr, 0, 0);
    EXPECT(p != nullptr);
    zlib_memory::deallocate(nullptr, p);
    zlib_memory::deallocate(nullptr, nullptr);
    EXPECT(zlib_memory::allocate(nullptr, UINT_MAX, UINT_MAX) == nullptr);
}

} // namespace

int main() {
    there_and_back();
    the_hook_by_itself();
    return result();
}
