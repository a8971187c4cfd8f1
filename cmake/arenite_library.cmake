# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
include_guard(GLOBAL)

# arenite_library(name CHECKS 1|0|generator expression): the library, static or with BUILD_SHARED_LIBS a shared one. Besides
# `arenite` itself the tests make a checked twin of it, and the fuzz targets an instrumented one.
#
# The static one is position-independent, so that a plug-in can have it inside, unless
# CMAKE_POSITION_INDEPENDENT_CODE says otherwise. What a program or library exports of it is namespace
# arenite (core/config.hpp) and the C interface. Code inside calls its own functions directly, whatever
# another library calls by the same names.
function(arenite_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" CHECKS "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp
                                              ${PROJECT_SOURCE_DIR}/include/*.h)
  add_library(${name} ${sources})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                FILES ${headers})
  target_compile_features(${name} PUBLIC cxx_std_20)
  set(installed_checks ${arg_CHECKS})
  if(arg_CHECKS STREQUAL "${arenite_checks}" AND DEFINED arenite_installed_checks)
    set(installed_checks ${arenite_installed_checks})
  endif()
  target_compile_definitions(${name} PUBLIC $<BUILD_INTERFACE:ARENITE_CHECKS=${arg_CHECKS}>
                                            $<INSTALL_INTERFACE:ARENITE_CHECKS=${installed_checks}>)
  if(ARENITE_VALGRIND) # inlined code tells Valgrind too, so who links it is compiled the same way
    target_compile_definitions(${name} PUBLIC ARENITE_VALGRIND=1)
  endif()
  if(ARENITE_OWN_RESOURCE)
    target_compile_definitions(${name} PUBLIC ARENITE_OWN_RESOURCE=1)
  endif()
  if(ARENITE_PRIVATE)
    target_compile_definitions(${name} PUBLIC ARENITE_PRIVATE=1)
    if(UNIX AND NOT APPLE) # who has it inside stays loaded: threads that end, and a fork, call into it
      target_link_options(${name} INTERFACE $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:LINKER:-z,nodelete>)
    endif()
  endif()
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        WINDOWS_EXPORT_ALL_SYMBOLS ON VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(ARENITE_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    # One object file is linked whole, but for the sections that a linker with --gc-sections drops.
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
      target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
    endif()
  endif()
  # As one file clang would take names of other sources for shadowed ones.
  if(PROJECT_IS_TOP_LEVEL AND (CMAKE_CXX_COMPILER_ID STREQUAL GNU OR (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT ARENITE_UNITY)))
    target_compile_options(${name} PRIVATE -Wshadow)
  endif()
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(${name} PROPERTIES SYSTEM ON) # its headers under whoever's warnings
  endif()
  if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
    # Messages name a place in the library's sources, not a folder of whoever built it.
    target_compile_options(${name} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # or the loader keeps a plug-in that has it inside for ever
      target_compile_options(${name} PRIVATE -fno-gnu-unique)
    endif()
    if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
      # It stays loaded: threads that end, and a fork, call into it after the last who asked for it is gone.
      target_link_options(${name} PRIVATE LINKER:-Bsymbolic-functions LINKER:-z,nodelete)
    endif()
  endif()
endfunction()

# What a linker of C programs needs besides a static library: the C++ library that this one was built with.
function(arenite_cxx_runtime library result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL STATIC_LIBRARY AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    if(APPLE OR CMAKE_CXX_FLAGS MATCHES "-stdlib=libc\\+\\+")
      set(${result} c++ PARENT_SCOPE)
    else()
      set(${result} stdc++ PARENT_SCOPE)
    endif()
  endif()
endfunction()

# arenite_c_interface(name library): what C, and C++ of another standard, links to call arenite/c.h.
function(arenite_c_interface name library)
  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  arenite_cxx_runtime(${library} runtime)
  target_link_libraries(${name} INTERFACE $<LINK_ONLY:${library}> ${runtime})
endfunction()
