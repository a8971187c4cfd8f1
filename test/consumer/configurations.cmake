# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# One folder is configured as Debug, then as Release: what is compiled is checked, then unchecked. With
# several configurations in one folder each has its own.
file(REMOVE_RECURSE ${SCRATCH})
set(common -S ${SOURCE} -DCMAKE_CXX_COMPILER=${COMPILER} -DARENITE_BUILD_TESTS=OFF -DARENITE_BUILD_LAB=OFF -DARENITE_BUILD_ADVISOR=OFF
           -DARENITE_BUILD_EXAMPLES=OFF -DARENITE_BUILD_BOTH=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)

function(expect folder checks otherwise)
  file(READ ${folder}/compile_commands.json commands)
  if(NOT commands MATCHES "ARENITE_CHECKS=${checks}" OR commands MATCHES "ARENITE_CHECKS=${otherwise}")
    message(FATAL_ERROR "${folder}: ARENITE_CHECKS should be ${checks} everywhere")
  endif()
endfunction()

foreach(configuration Debug Release Debug)
  execute_process(COMMAND ${CMAKE_COMMAND} ${common} -B ${SCRATCH}/one -G ${GENERATOR}
                          -DCMAKE_BUILD_TYPE=${configuration} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  if(configuration STREQUAL Debug)
    expect(${SCRATCH}/one 1 0)
  else()
    expect(${SCRATCH}/one 0 1)
  endif()
endforeach()

# What the user says holds, whatever the configuration.
execute_process(COMMAND ${CMAKE_COMMAND} ${common} -B ${SCRATCH}/one -G ${GENERATOR} -DARENITE_CHECKS=OFF
                        -DCMAKE_BUILD_TYPE=Debug OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
expect(${SCRATCH}/one 0 1)

if(GENERATOR STREQUAL Ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} ${common} -B ${SCRATCH}/several -G "Ninja Multi-Config"
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  foreach(configuration Debug Release)
    execute_process(COMMAND ninja -C ${SCRATCH}/several -f build-${configuration}.ninja -t commands arenite
                    OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
    set(checks 0)
    if(configuration STREQUAL Debug)
      set(checks 1)
    endif()
    if(NOT commands MATCHES "ARENITE_CHECKS=${checks}")
      message(FATAL_ERROR "several configurations: ARENITE_CHECKS should be ${checks} in ${configuration}")
    endif()
  endforeach()
endif()
