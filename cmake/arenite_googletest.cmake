# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# GTest::gtest_main: the installed package or, where the flags change the binary interface of what is
# linked (another standard library, no run-time type information, MemorySanitizer, another
# machine), GoogleTest built with the same flags from the sources that Debian packages.
if(CMAKE_CROSSCOMPILING OR CMAKE_CXX_FLAGS MATCHES "libc\\+\\+|fno-rtti|sanitize=memory")
  find_path(ARENITE_GOOGLETEST_SOURCE googletest/src/gtest-all.cc
            PATHS /usr/src/googletest REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  set(BUILD_GMOCK OFF)
  set(INSTALL_GTEST OFF)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # the two lines above are meant for the subdirectory
  add_subdirectory(${ARENITE_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  foreach(target gtest gtest_main)
    target_compile_options(${target} PRIVATE -w)
    if(CMAKE_CXX_FLAGS MATCHES "sanitize=memory") # it reads what the standard library, not instrumented, wrote
      target_compile_options(${target} PRIVATE -fno-sanitize=memory)
    endif()
  endforeach()
  if(NOT TARGET GTest::gtest_main)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
else()
  find_package(GTest REQUIRED)
endif()
