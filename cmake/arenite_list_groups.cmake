# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Run when a program of tests is built: writes what ctest reads of its groups. See arenite_discover_tests.cmake.
execute_process(COMMAND ${RUN} --gtest_list_tests --gtest_filter=${FILTER} TIMEOUT 120
                OUTPUT_VARIABLE listed RESULT_VARIABLE ended)
if(NOT ended EQUAL 0)
  message(FATAL_ERROR "${RUN} --gtest_list_tests ended with ${ended}:\n${listed}")
endif()

# Of "suite." and, each on a line and indented, its tests: the suites, and the tests of each as a list.
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}") # types and values of parameters
string(REPLACE "\n" ";" listed "${listed}")
set(suites "")
foreach(line IN LISTS listed)
  if(line MATCHES "^  (.+)$")
    list(APPEND tests_of_${suite} "${suite}.${CMAKE_MATCH_1}")
  elseif(line MATCHES "^([^ ]+)[.]$")
    set(suite ${CMAKE_MATCH_1})
    list(APPEND suites ${suite})
  endif()
endforeach()

set(written "")
foreach(suite IN LISTS suites)
  set(rest ${tests_of_${suite}})
  list(LENGTH rest count)
  math(EXPR groups "(${count} + ${GROUP} - 1) / ${GROUP}")
  foreach(number RANGE 1 ${groups})
    list(SUBLIST rest 0 ${GROUP} tests)
    list(REMOVE_ITEM rest ${tests})
    list(LENGTH tests length)
    list(JOIN tests ":" tests)
    set(name "${PREFIX}${suite}")
    if(groups GREATER 1)
      string(APPEND name " ${number} of ${groups}")
    endif()
    string(APPEND written "add_test([=[${name}]=]")
    foreach(argument IN LISTS RUN)
      string(APPEND written " [=[${argument}]=]")
    endforeach()
    # One test may take what presets let a test take; a hang among many is noticed not much later.
    math(EXPR seconds "540 + 60 * ${length}")
    string(APPEND written " [=[--gtest_filter=${tests}]=])\n"
                          "set_tests_properties([=[${name}]=] PROPERTIES TIMEOUT ${seconds})\n")
    if(LABEL)
      string(APPEND written "set_tests_properties([=[${name}]=] PROPERTIES LABELS ${LABEL})\n")
    endif()
  endforeach()
endforeach()
file(WRITE ${TO} "${written}")
