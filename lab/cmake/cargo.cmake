# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# C and C++ sources of peers that come inside packages of Rust's registry. The ordinary client brings
# them into the build tree, at configure time, once; nothing of it is kept elsewhere.
option(ARENITE_LAB_FETCH_PEERS "Bring the newest mimalloc and VMA into the build tree with cargo" ON)

# arenite_lab_cargo(package vendor why): sets `vendor` to the folder in which package-<version> is, or
# `why` to why there is none.
function(arenite_lab_cargo package vendor why)
  set(place ${CMAKE_CURRENT_BINARY_DIR}/cargo/${package})
  set(${vendor} ${place}/vendor PARENT_SCOPE)
  if(NOT ARENITE_LAB_FETCH_PEERS)
    set(${why} "ARENITE_LAB_FETCH_PEERS is OFF" PARENT_SCOPE)
    set(${vendor} ${place}/none PARENT_SCOPE)
    return()
  endif()
  if(EXISTS ${place}/done)
    return()
  endif()
  find_program(ARENITE_LAB_CARGO cargo)
  mark_as_advanced(ARENITE_LAB_CARGO)
  if(NOT ARENITE_LAB_CARGO)
    set(${why} "its source comes by cargo, which is not installed" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "Lab: asking cargo for ${package}")
  file(WRITE ${place}/src/lib.rs "")
  file(WRITE ${place}/Cargo.toml
       "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2018\"\n"
       "[workspace]\n[dependencies]\n${package} = \"*\"\n")
  execute_process(COMMAND ${ARENITE_LAB_CARGO} vendor --versioned-dirs vendor
                  WORKING_DIRECTORY ${place} TIMEOUT 120
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
  if(failed)
    string(REGEX REPLACE "\n.*" "" said "${said}")
    set(${why} "cargo could not bring its source: ${said}" PARENT_SCOPE)
  else()
    file(WRITE ${place}/done "")
  endif()
endfunction()
