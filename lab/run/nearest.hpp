// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace arenite::lab {

/// The name that was probably meant by a word that is none: one that a few letters more, less,
/// others or swapped make of it; of "order/pair" the last part is enough. Empty where none is near.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& names);

/// "; did you mean 'order/pair'?", or nothing.
[[nodiscard]] std::string did_you_mean(const std::string& word,
                                       const std::vector<std::string>& names);

} // namespace arenite::lab
