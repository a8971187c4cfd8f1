# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
# 32-bit x86 on a 64-bit PC: Debian's g++-12-multilib, which may stand beside a compiler for another
# machine (gcc-multilib, which may not, is what brings <asm/...> for it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
find_program(ARENITE_MULTILIB NAMES g++-12 g++ REQUIRED)
set(CMAKE_CXX_COMPILER ${ARENITE_MULTILIB})
set(CMAKE_C_FLAGS_INIT "-m32 -idirafter /usr/include/x86_64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "-m32 -idirafter /usr/include/x86_64-linux-gnu")
