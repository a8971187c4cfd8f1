# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
# macOS on ARM: clang, libc++ and the system's headers of ziglang, a package of PyPI that ./dev flavour
# macos installs. What it makes is compiled and linked here, and never run.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
find_program(ARENITE_ZIG NAMES python-zig zig PATHS ${CMAKE_CURRENT_LIST_DIR}/../../build/musl/venv/bin REQUIRED)
set(CMAKE_C_COMPILER ${ARENITE_ZIG} cc -target aarch64-macos)
set(CMAKE_CXX_COMPILER ${ARENITE_ZIG} c++ -target aarch64-macos)
# The first is on by default in that compiler; GoogleTest 1.12 takes the others for granted.
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined -include cmath -DFLT_MAX=__FLT_MAX__ -DDBL_MAX=__DBL_MAX__")
set(CMAKE_INSTALL_NAME_TOOL true) # nothing is installed
