// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a bitmap_tree beside a row of flags. The first three bytes choose the
// capacity, each further operation takes one byte for itself and up to four for its operands.

#include <arenite/core/detail/bitmap_tree.hpp>

#include "support/driver.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using arenite::detail::bitmap_tree;

namespace {

constexpr std::size_t npos = bitmap_tree::npos;

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

class program final : public support::driver {
public:
    program(std::size_t shape, std::size_t capacity)
        : capacity_{capacity}, words_(bitmap_tree::words_for(capacity), shape * 0x0101'0101'0101),
          tree_{capacity, words_}, model_(capacity, false) {}

private:
    std::size_t number() { return std::size_t{byte()} << 8 | byte(); }
    void require(bool holds, const char* text) {
        if (!holds)
            wrong(text);
    }
    void end() override {
        for (std::size_t i = 0; i < capacity_; ++i)
            require(tree_.test(i) == model_[i], "test");
    }

    void one(support::decisions&) override {
        const std::size_t operation = byte(); // also past the last step: the rest is read, too
        if (step() >= 400)
            return;
        const std::size_t i = number() * (capacity_ > 65'536 ? 5 : 1) % capacity_;
        switch (operation % 8) {
        case 0: {
            const std::size_t lowest = next(model_, 0, false);
            require(tree_.take_lowest() == lowest, "take_lowest");
            if (lowest != npos)
                taken_ += fill(model_, lowest, 1, true);
            break;
        }
        case 1:
            if (model_[i]) {
                tree_.give(i);
                taken_ -= fill(model_, i, 1, false);
            } else {
                tree_.take(i);
                taken_ += fill(model_, i, 1, true);
            }
            break;
        case 2:
        case 3: {
            const std::size_t n = number() % (capacity_ - i + 1);
            const std::size_t changed = fill(model_, i, n, true);
            require(tree_.take_range(i, n) == changed, "take_range");
            taken_ += changed;
            break;
        }
        case 4: {
            const std::size_t n = number() % (capacity_ - i + 1);
            const std::size_t changed = fill(model_, i, n, false);
            require(tree_.give_range(i, n) == changed, "give_range");
            taken_ -= changed;
            break;
        }
        case 5: {
            const bitmap_tree::claim c = tree_.claim_word();
            const std::size_t lowest = next(model_, 0, false);
            if (lowest == npos) {
                require(c.mask == 0, "claim_word of a full tree");
                break;
            }
            require(c.first == lowest / 64 * 64, "claim_word: the word");
            for (std::size_t b = 0; b < 64; ++b) {
                const std::size_t k = c.first + b;
                const bool free = k < capacity_ && !model_[k];
                require((c.mask >> b & 1) == (free ? 1 : 0), "claim_word: the mask");
                if (free)
                    taken_ += fill(model_, k, 1, true);
            }
            break;
        }
        case 6:
            require(tree_.next_free(i) == next(model_, i, false), "next_free");
            break;
        default:
            require(tree_.test(i) == model_[i], "test: one");
        }
        require(tree_.count_taken() == taken_, "count_taken");
        if (capacity_ < 5000 || step() % 32 == 0) // the model_ walks
            require(tree_.lowest_free() == next(model_, 0, false), "lowest_free");
    }

    std::size_t capacity_;
    // Exactly as many words as needed: the address sanitizer watches both ends.
    std::vector<bitmap_tree::word> words_;
    bitmap_tree tree_;
    std::vector<bool> model_;
    std::size_t taken_ = 0;
};

} // namespace

std::string run(support::byte_source& source) {
    // Small ones often: their seams are near; up to four levels.
    const std::size_t shape = source.byte();
    const std::size_t number = below(source, 65'536);
    return program{shape, 1 + number * (shape % 8 == 0 ? 8 : 1) % 300'000}.run(source);
}
