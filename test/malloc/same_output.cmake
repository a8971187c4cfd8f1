# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -D LIBRARY=... -D INPUT=... -P same_output.cmake -- PROGRAM ARGUMENT...: it says and returns the
# same with the library as without; INPUT is its standard input.
set(command "")
set(behind OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(behind)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(behind ON)
  endif()
endforeach()
foreach(preload "" ${LIBRARY})
  set(ENV{LD_PRELOAD} ${preload})
  execute_process(COMMAND ${command} INPUT_FILE ${INPUT} TIMEOUT 120 RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(ENV{LD_PRELOAD} "")
  if(preload STREQUAL "")
    set(expected "${status}\n${output}\n${errors}")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "it fails by itself: ${expected}")
    endif()
  elseif(NOT "${status}\n${output}\n${errors}" STREQUAL expected)
    message(FATAL_ERROR "with the library it says\n${status}\n${output}\n${errors}\ninstead of\n${expected}")
  endif()
endforeach()
