// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "interruptions.hpp"

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace arenite::lab {

std::size_t interruptions() noexcept {
#if defined(__linux__)
    rusage used{};
    if (::getrusage(RUSAGE_THREAD, &used) == 0)
        return static_cast<std::size_t>(used.ru_nivcsw);
#endif
    return 0;
}

} // namespace arenite::lab
