# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
separate_arguments(FLAGS)
set(command ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} ${FLAGS} -std=c++20 -fsyntax-only -I ${INCLUDE} ${CASE})
file(STRINGS ${CASE} expected REGEX "^// expected: ")
string(REGEX REPLACE "^// expected: " "" expected "${expected}")
if(expected STREQUAL "")
  message(FATAL_ERROR "${CASE} has no line `// expected: ...`")
endif()

# In a line `// flags: ...`: with what else it must fail.
file(STRINGS ${CASE} flags REGEX "^// flags: ")
string(REGEX REPLACE "^// flags: " "" flags "${flags}")
separate_arguments(flags)

execute_process(COMMAND ${command} RESULT_VARIABLE code ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "Without MUST_FAIL this should compile:\n${output}")
endif()
execute_process(COMMAND ${command} ${flags} -DMUST_FAIL RESULT_VARIABLE code ERROR_VARIABLE output)
if(code EQUAL 0)
  message(FATAL_ERROR "This compiled, and should not:\n${CASE}")
endif()
if(NOT output MATCHES "${expected}")
  message(FATAL_ERROR "This failed, but without a message that matches '${expected}':\n${output}")
endif()
message("failed as expected: ${CMAKE_MATCH_0}")
