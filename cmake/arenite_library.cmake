# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
include_guard(GLOBAL)

# arenite_library(name CHECKS ON|OFF): the library as a static one. Besides `arenite` itself the tests
# make a checked twin of it, and the fuzz targets an instrumented one.
function(arenite_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" CHECKS "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
  add_library(${name} STATIC ${sources})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                FILES ${headers})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_definitions(${name} PUBLIC ARENITE_CHECKS=$<BOOL:${arg_CHECKS}>)
endfunction()
