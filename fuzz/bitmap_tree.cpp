// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a bitmap_tree beside a row of flags. The first three bytes choose the
// capacity, each further operation takes one byte for itself and up to four for its operands.

#include <arenite/core/detail/bitmap_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using arenite::detail::bitmap_tree;

namespace {

constexpr std::size_t npos = bitmap_tree::npos;

class program {
public:
    program(const std::uint8_t* data, std::size_t size) : at_{data}, end_{data + size} {}

    [[nodiscard]] bool ended() const { return at_ == end_; }
    [[nodiscard]] std::size_t number(int bytes) {
        std::size_t n = 0;
        for (; bytes > 0 && at_ != end_; --bytes)
            n = n << 8 | *at_++;
        return n;
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "bitmap_tree: %s\n", what);
        std::abort();
    }
}

std::size_t next(const std::vector<bool>& model, std::size_t i, bool value) {
    while (i < model.size() && model[i] != value)
        ++i;
    return i < model.size() ? i : npos;
}

std::size_t fill(std::vector<bool>& model, std::size_t first, std::size_t n, bool value) {
    std::size_t changed = 0;
    for (std::size_t i = first; i < first + n; ++i) {
        changed += model[i] != value ? 1U : 0U;
        model[i] = value;
    }
    return changed;
}

void run(program code) {
    // Small ones often: their seams are near; up to four levels.
    const std::size_t shape = code.number(1);
    const std::size_t capacity = 1 + code.number(2) * (shape % 8 == 0 ? 8 : 1) % (300'000);
    // Exactly as many words as needed: the address sanitizer watches both ends.
    std::vector<bitmap_tree::word> words(bitmap_tree::words_for(capacity),
                                         shape * 0x0101'0101'0101);
    bitmap_tree tree{capacity, words};
    std::vector<bool> model(capacity, false);
    std::size_t taken = 0;

    for (int steps = 0; !code.ended() && steps < 400; ++steps) {
        const std::size_t operation = code.number(1);
        const std::size_t i = code.number(2) * (capacity > 65'536 ? 5 : 1) % capacity;
        switch (operation % 8) {
        case 0: {
            const std::size_t lowest = next(model, 0, false);
            require(tree.take_lowest() == lowest, "take_lowest");
            if (lowest != npos)
                taken += fill(model, lowest, 1, true);
            break;
        }
        case 1:
            if (model[i]) {
                tree.give(i);
                taken -= fill(model, i, 1, false);
            } else {
                tree.take(i);
                taken += fill(model, i, 1, true);
            }
            break;
        case 2:
        case 3: {
            const std::size_t n = code.number(2) % (capacity - i + 1);
            const std::size_t changed = fill(model, i, n, true);
            require(tree.take_range(i, n) == changed, "take_range");
            taken += changed;
            break;
        }
        case 4: {
            const std::size_t n = code.number(2) % (capacity - i + 1);
            const std::size_t changed = fill(model, i, n, false);
            require(tree.give_range(i, n) == changed, "give_range");
            taken -= changed;
            break;
        }
        case 5: {
            const bitmap_tree::claim c = tree.claim_word();
            const std::size_t lowest = next(model, 0, false);
            if (lowest == npos) {
                require(c.mask == 0, "claim_word of a full tree");
                break;
            }
            require(c.first == lowest / 64 * 64, "claim_word: the word");
            for (std::size_t b = 0; b < 64; ++b) {
                const std::size_t k = c.first + b;
                const bool free = k < capacity && !model[k];
                require((c.mask >> b & 1) == (free ? 1 : 0), "claim_word: the mask");
                if (free)
                    taken += fill(model, k, 1, true);
            }
            break;
        }
        case 6:
            require(tree.next_free(i) == next(model, i, false), "next_free");
            break;
        default:
            require(tree.test(i) == model[i], "test: one");
        }
        require(tree.count_taken() == taken, "count_taken");
        if (capacity < 5000 || steps % 32 == 0) // the model walks
            require(tree.lowest_free() == next(model, 0, false), "lowest_free");
    }
    for (std::size_t i = 0; i < capacity; ++i)
        require(tree.test(i) == model[i], "test");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    run(program{data, size});
    return 0;
}
