// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../subject.hpp"

namespace arenite::lab {

registry& registered() {
    static registry all;
    return all;
}

} // namespace arenite::lab
