# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Links main.cpp, built with MAIN_CHECKS, with the library or with other.cpp of both kinds.
separate_arguments(FLAGS)
set(base ${OUTPUT}/${WITH}_${MAIN_CHECKS})
set(compile ${COMPILER} ${FLAGS} -std=c++20 -I ${INCLUDE})

function(link_is_allowed_only_if_equal checks)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} ${FLAGS} ${base}_main.o ${ARGN} -o ${base}_program
                  RESULT_VARIABLE code ERROR_VARIABLE output)
  if(checks EQUAL MAIN_CHECKS)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "Equal settings should link:\n${output}")
    endif()
  elseif(code EQUAL 0)
    message(FATAL_ERROR "Checks of ${MAIN_CHECKS} and ${checks} were linked into one program.")
  elseif(NOT output MATCHES "undefined.*arenite::v0_1")
    message(FATAL_ERROR "Linking failed for another reason:\n${output}")
  elseif(WITH STREQUAL library AND NOT output MATCHES "there_is_no_arenite_library_here_that_is_built_with")
    message(FATAL_ERROR "The message should say why:\n${output}")
  endif()
endfunction()

string(TOUPPER ${WITH} with_macro)
execute_process(COMMAND ${compile} -DARENITE_CHECKS=${MAIN_CHECKS} -DWITH_${with_macro}
                        -c ${FOLDER}/main.cpp -o ${base}_main.o COMMAND_ERROR_IS_FATAL ANY)
if(WITH STREQUAL library)
  link_is_allowed_only_if_equal(${LIBRARY_CHECKS} ${LIBRARY})
else()
  foreach(checks IN ITEMS 0 1)
    execute_process(COMMAND ${compile} -DARENITE_CHECKS=${checks} -c ${FOLDER}/other.cpp
                            -o ${base}_other_${checks}.o COMMAND_ERROR_IS_FATAL ANY)
    link_is_allowed_only_if_equal(${checks} ${base}_other_${checks}.o)
  endforeach()
endif()
