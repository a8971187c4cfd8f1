# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
# 64-bit ARM on a PC: Debian's g++-aarch64-linux-gnu, run by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(ARENITE_QEMU NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
# qemu keeps a record of every page of a reservation: -R leaves it 64 GiB of addresses, so that the
# pages of the library shrink their range of 256 GiB (a second and 1.6 GB for each process).
set(CMAKE_CROSSCOMPILING_EMULATOR ${ARENITE_QEMU} -R 0x1000000000 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
