// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (nodiscard|warn_unused_result)
#include <arenite/core/system_resource.hpp>

#ifdef MUST_FAIL
#pragma GCC diagnostic error "-Wunused-result"
#endif

int main() {
#ifdef MUST_FAIL
    arenite::system_resource().allocate(8);
#else
    auto& memory = arenite::system_resource();
    memory.deallocate(memory.allocate(8), 8);
#endif
}
