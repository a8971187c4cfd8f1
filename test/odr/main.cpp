// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#ifdef WITH_LIBRARY
#include <arenite/core/system_resource.hpp>
#endif
#include <arenite/core/usage.hpp>

std::size_t total_of(const arenite::usage& u); // in other.cpp

int main() {
#ifdef WITH_LIBRARY
    auto& memory = arenite::system_resource();
    memory.deallocate(memory.allocate(8), 8);
    return 0;
#else
    return static_cast<int>(total_of({}));
#endif
}
