# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Installs headers, library, the CMake package and the pkg-config files; all of it may be moved. With
# ARENITE_BUILD_BOTH the prefix has the checked library too: arenite-config.cmake.in tells who gets which.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/arenite)
set(libraries arenite)
if(TARGET arenite-checked)
  list(APPEND libraries arenite-checked)
endif()
if(TARGET arenite-malloc)
  list(APPEND malloc_libraries arenite-malloc arenite-malloc-static)
endif()
install(TARGETS ${libraries} ${malloc_libraries} arenite-c-interface EXPORT arenite FILE_SET HEADERS)
install(EXPORT arenite NAMESPACE arenite:: FILE arenite-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/arenite-config.cmake.in
                              ${PROJECT_BINARY_DIR}/arenite-config.cmake INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/arenite-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/arenite-config.cmake ${PROJECT_BINARY_DIR}/arenite-config-version.cmake
        DESTINATION ${package_dir})

# What shows our types in debuggers. gdb finds by itself what is named after a shared library.
set(tools_dir ${CMAKE_INSTALL_DATADIR}/arenite)
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/arenite_printers.py DESTINATION ${tools_dir}/gdb)
install(FILES ${PROJECT_SOURCE_DIR}/tools/natvis/arenite.natvis DESTINATION ${tools_dir}/natvis)
install(FILES ${PROJECT_SOURCE_DIR}/module/arenite.cppm DESTINATION ${tools_dir}/module)
get_target_property(library_type arenite TYPE)
if(library_type STREQUAL SHARED_LIBRARY AND UNIX)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/arenite_printers.py DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RENAME libarenite.so.${PROJECT_VERSION}-gdb.py)
endif()

# ${pcfiledir} is where pkg-config found the file; from there the prefix is some folders up.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
arenite_cxx_runtime(arenite pc_runtime)
if(pc_runtime)
  string(PREPEND pc_runtime " -l")
endif()
set(pc_valgrind "")
if(ARENITE_VALGRIND)
  set(pc_valgrind " -DARENITE_VALGRIND=1")
endif()
if(ARENITE_OWN_RESOURCE)
  string(APPEND pc_valgrind " -DARENITE_OWN_RESOURCE=1")
endif()
if(ARENITE_PRIVATE)
  string(APPEND pc_valgrind " -DARENITE_PRIVATE=1")
endif()
foreach(pc_library IN LISTS libraries)
  set(pc_checks ${arenite_checks})
  if(pc_library STREQUAL arenite-checked)
    set(pc_checks 1)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/arenite.pc.in ${pc_library}.pc.in @ONLY)
  set(pc_file ${PROJECT_BINARY_DIR}/pkgconfig/$<CONFIG>/${pc_library}.pc)
  file(GENERATE OUTPUT ${pc_file} INPUT ${PROJECT_BINARY_DIR}/${pc_library}.pc.in)
  install(FILES ${pc_file} DESTINATION ${pc_dir})
endforeach()
