# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
include_guard(GLOBAL)
include(GoogleTest)
set(ARENITE_LIST_GROUPS ${CMAKE_CURRENT_LIST_DIR}/arenite_list_groups.cmake)

# arenite_discover_tests(program prefix filter group label): what ctest runs of the tests of a program that
# GoogleTest's filter lets through, each with the label if that is not empty. A process for each of them or,
# where group is above 1, one for up to so many tests of a suite: that saves the start of a process, which under
# AddressSanitizer takes longer than most tests. The program is asked when it is built.
#
# A group is named as its suite, and fails if one of its tests does: what the program printed, which ctest
# shows then, names that. A test that crashes or hangs ends those of its group that come after it. One that is
# skipped ctest does not tell of: its message is in Testing/Temporary/LastTest.log, where ./dev finds it.
function(arenite_discover_tests program prefix filter group label)
  if(APPLE AND NOT CMAKE_HOST_APPLE)
    return() # tests are asked of the program, which nothing here can run
  endif()
  set(labels "")
  if(label)
    set(labels PROPERTIES LABELS ${label})
  endif()
  if(NOT group GREATER 1)
    gtest_discover_tests(${program} TEST_PREFIX "${prefix}" TEST_FILTER "${filter}" TEST_LIST ${program}_${label}
                         DISCOVERY_TIMEOUT 120 NO_PRETTY_TYPES NO_PRETTY_VALUES ${labels})
    return()
  endif()
  string(JOIN "-" file ${program} groups ${label})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${file}.cmake)
  set(run ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  add_custom_command(TARGET ${program} POST_BUILD BYPRODUCTS ${file} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DRUN=${run}"
            "-DPREFIX=${prefix}" "-DFILTER=${filter}" -DGROUP=${group} "-DLABEL=${label}" -DTO=${file}
            -P ${ARENITE_LIST_GROUPS})
  file(CONFIGURE OUTPUT ${file}.if_built CONTENT
"if(EXISTS \"${file}\")
  include(\"${file}\")
else()
  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file}.if_built)
endfunction()
