// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (use of deleted function|call to implicitly-deleted copy constructor)
#include <arenite/core/system_resource.hpp>

int main() {
    auto& mine = arenite::system_resource();
#ifdef MUST_FAIL
    auto copy = mine;
    copy.deallocate(nullptr, 0);
#else
    mine.deallocate(nullptr, 0);
#endif
}
