# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# cmake -DSOURCE=... -DSCRATCH=... -DGENERATOR=... -DCOMPILER=... -P valgrind.cmake: what is installed with
# ARENITE_VALGRIND=ON has programs compiled for Valgrind, too. Nothing is compiled here: empty files take
# the places of the libraries.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${SCRATCH}/installed)
set(compiler -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
file(REMOVE_RECURSE ${SCRATCH})
run(-S ${SOURCE} -B ${SCRATCH}/build ${compiler} -DARENITE_VALGRIND=ON -DARENITE_BUILD_TESTS=OFF
    -DARENITE_BUILD_LAB=OFF -DARENITE_BUILD_ADVISOR=OFF -DARENITE_BUILD_MALLOC=OFF
    -DARENITE_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_LIBDIR=lib)
file(TOUCH ${SCRATCH}/build/libarenite.a ${SCRATCH}/build/libarenite-checked.a)
run(--install ${SCRATCH}/build --prefix ${prefix})

foreach(target IN ITEMS arenite checked)
  run(-S ${SOURCE}/test/consumer/find_package -B ${SCRATCH}/${target} ${compiler} -DCMAKE_PREFIX_PATH=${prefix}
      -DARENITE_TARGET=arenite::${target} -DEXPECTED_TYPE=STATIC_LIBRARY -DEXPECTED_VALGRIND=1)
endforeach()
foreach(library IN ITEMS arenite arenite-checked)
  file(READ ${prefix}/lib/pkgconfig/${library}.pc text)
  if(NOT text MATCHES " -DARENITE_VALGRIND=1")
    message(FATAL_ERROR "${library}.pc does not compile programs for Valgrind:\n${text}")
  endif()
endforeach()
