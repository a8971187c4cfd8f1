# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# The newest mimalloc to be had: its C source comes inside packages of Rust's registry. The ordinary
# client brings them into the build tree, at configure time, once; nothing of it is kept elsewhere.
option(ARENITE_LAB_FETCH_PEERS "Bring the newest mimalloc into the build tree with cargo" ON)

# Sets mimalloc_<2|3>_source to the newest source of that major version, or mimalloc_why.
function(arenite_lab_fetch_mimalloc)
  set(place ${CMAKE_CURRENT_BINARY_DIR}/mimalloc)
  if(NOT ARENITE_LAB_FETCH_PEERS)
    set(mimalloc_why "ARENITE_LAB_FETCH_PEERS is OFF" PARENT_SCOPE)
    return()
  endif()
  find_program(ARENITE_LAB_CARGO cargo)
  if(NOT ARENITE_LAB_CARGO)
    set(mimalloc_why "its source comes by cargo, which is not installed" PARENT_SCOPE)
    return()
  endif()
  mark_as_advanced(ARENITE_LAB_CARGO)

  foreach(package libmimalloc-sys2 libmimalloc-sys)
    if(NOT EXISTS ${place}/${package}/done)
      message(STATUS "Lab: asking cargo for ${package}")
      file(WRITE ${place}/${package}/src/lib.rs "")
      file(WRITE ${place}/${package}/Cargo.toml
           "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2018\"\n"
           "[workspace]\n[dependencies]\n${package} = \"*\"\n")
      execute_process(COMMAND ${ARENITE_LAB_CARGO} vendor --versioned-dirs vendor
                      WORKING_DIRECTORY ${place}/${package} TIMEOUT 120
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
      if(NOT failed)
        file(WRITE ${place}/${package}/done "")
      endif()
    endif()
    file(GLOB headers ${place}/${package}/vendor/${package}-*/c_src/*/include/mimalloc.h
                      ${place}/${package}/vendor/${package}-*/c_src/*/*/include/mimalloc.h)
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
  string(REGEX REPLACE "\n.*" "" said "${said}")
  set(mimalloc_why "cargo could not bring its source: ${said}" PARENT_SCOPE)
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
