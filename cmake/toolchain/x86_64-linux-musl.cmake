# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
# Linux with musl in place of glibc: clang, libc++ and musl of ziglang, a package of PyPI that
# ./dev flavour musl installs. Programs are linked statically, and so run on any Linux.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
find_program(ARENITE_ZIG NAMES python-zig zig PATHS ${CMAKE_CURRENT_LIST_DIR}/../../build/musl/venv/bin REQUIRED)
set(CMAKE_C_COMPILER ${ARENITE_ZIG} cc -target x86_64-linux-musl)
set(CMAKE_CXX_COMPILER ${ARENITE_ZIG} c++ -target x86_64-linux-musl)
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined") # on by default in that compiler
