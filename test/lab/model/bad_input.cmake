# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -DLAB=arenite-lab -DFILE=the file -DSAYS="a regular expression" -P bad_input.cmake
# The lab must refuse the file at once: exit code 2, one sentence with its name and the reason, no result.
execute_process(COMMAND ${LAB} run scene/model --subject std --repeat 1 --set copies=1 --set file=${FILE}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code EQUAL 2)
  message(FATAL_ERROR "exit code ${code} instead of 2\n${output}${errors}")
endif()
string(FIND "${errors}" "${FILE}" named)
if(named EQUAL -1)
  message(FATAL_ERROR "the message does not name the file: ${errors}")
endif()
if(NOT errors MATCHES "${SAYS}")
  message(FATAL_ERROR "the message does not say '${SAYS}': ${errors}")
endif()
if(NOT output STREQUAL "")
  message(FATAL_ERROR "results in spite of it:\n${output}")
endif()
