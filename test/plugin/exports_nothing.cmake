# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -D NM=... -D LIBRARY=... -P exports_nothing.cmake: it exports nothing of Arenite.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
if(failed OR NOT text MATCHES "of_the_plugin" OR text MATCHES "arenite")
  message(FATAL_ERROR "it exports\n${text}")
endif()
