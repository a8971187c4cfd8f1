# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -D NM=... -D LIBRARY=... -D MAP=... -P exports.cmake: the library exports what its map names and
# nothing else, and needs no C++ library.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "nm fails")
endif()
string(REGEX MATCHALL "[A-Za-z_0-9]+\n" there "${text}")
list(TRANSFORM there STRIP)
file(STRINGS ${MAP} lines REGEX ";")
list(FILTER lines EXCLUDE REGEX "local:")
string(REGEX MATCHALL "[A-Za-z_0-9]+" wanted "${lines}")
list(REMOVE_ITEM wanted global)
list(SORT there)
list(SORT wanted)
if(NOT there STREQUAL wanted)
  message(FATAL_ERROR "exported: ${there}\nwanted: ${wanted}")
endif()
execute_process(COMMAND ${NM} -D --undefined-only ${LIBRARY} OUTPUT_VARIABLE text)
if(text MATCHES "GLIBCXX|CXXABI|__cxa_atexit|__cxa_thread_atexit|_Znw")
  message(FATAL_ERROR "it needs what it must not:\n${text}")
endif()
file(STRINGS ${LIBRARY} needed REGEX "libstdc[+][+][.]so|libgcc_s[.]so")
if(needed)
  message(FATAL_ERROR "it loads ${needed}")
endif()
