# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
# The oldest clang that is supported and here, so that what it accepts all accept.
find_program(ARENITE_CLANG NAMES clang++-16 clang++-17 clang++-18 clang++-19 clang++-20 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER ${ARENITE_CLANG})
