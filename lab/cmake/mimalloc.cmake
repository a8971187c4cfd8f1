# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

include(cmake/cargo.cmake)

# The newest mimalloc to be had: its C source comes inside packages of Rust's registry. Sets
# mimalloc_<2|3>_source to the newest source of that major version, or mimalloc_why.
function(arenite_lab_fetch_mimalloc)
  foreach(package libmimalloc-sys2 libmimalloc-sys)
    arenite_lab_cargo(${package} vendor said)
    file(GLOB headers ${vendor}/${package}-*/c_src/*/include/mimalloc.h
                      ${vendor}/${package}-*/c_src/*/*/include/mimalloc.h)
    foreach(header IN LISTS headers)
      file(STRINGS ${header} line REGEX "define MI_MALLOC_VERSION")
      string(REGEX MATCH "MI_MALLOC_VERSION[ \t]+([0-9]+)" _ "${line}")
      set(version ${CMAKE_MATCH_1})
      if(version LESS 10000)
        continue()
      endif()
      math(EXPR major "${version} / 10000")
      cmake_path(SET source NORMALIZE ${header}/../..)
      if(NOT DEFINED newest_${major} OR version GREATER newest_${major})
        set(newest_${major} ${version})
        set(mimalloc_${major}_source ${source} PARENT_SCOPE)
      endif()
    endforeach()
    if(DEFINED newest_3)
      return()
    endif()
  endforeach()
  set(mimalloc_why "${said}" PARENT_SCOPE)
endfunction()

# A static library of one version, as its own build makes it for a release: one unit, -O3, no override
# of the C library's malloc, thread-local storage of a program.
function(arenite_lab_mimalloc_library target source)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${source}/src/static.c)
  target_include_directories(${target} SYSTEM PUBLIC ${source}/include)
  target_include_directories(${target} SYSTEM PRIVATE ${source}/src)
  target_compile_definitions(${target} PRIVATE MI_STATIC_LIB NDEBUG MI_DEBUG=0 MI_BUILD_RELEASE)
  target_compile_options(${target} PRIVATE -O3 -w -fvisibility=hidden -fno-builtin-malloc
                                           -ftls-model=initial-exec)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_compile_options(${target} PRIVATE -march=armv8.1-a)
  endif()
  find_package(Threads REQUIRED)
  target_link_libraries(${target} PUBLIC Threads::Threads)
endfunction()
