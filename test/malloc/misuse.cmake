# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -D LIBRARY=... -D PROGRAM=... -D CASE=... -D SAYS=... -P misuse.cmake: it ends by an abort, and
# what it says matches.
set(ENV{LD_PRELOAD} ${LIBRARY})
execute_process(COMMAND ${PROGRAM} ${CASE} TIMEOUT 60 RESULT_VARIABLE status ERROR_VARIABLE errors)
set(ENV{LD_PRELOAD} "")
if(NOT status MATCHES "abort|ABRT" OR NOT errors MATCHES "${SAYS}")
  message(FATAL_ERROR "it ended with ${status} and said\n${errors}\nwhich does not match ${SAYS}")
endif()
