# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Installs headers, library, the CMake package and the pkg-config file; all of it may be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/arenite)
install(TARGETS arenite arenite-c-interface EXPORT arenite FILE_SET HEADERS)
install(EXPORT arenite NAMESPACE arenite:: FILE arenite-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/arenite-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/arenite-config-version.cmake DESTINATION ${package_dir})

# ${pcfiledir} is where pkg-config found the file; from there the prefix is some folders up.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
set(pc_checks $<BOOL:${ARENITE_CHECKS}>)
arenite_cxx_runtime(arenite pc_runtime)
if(pc_runtime)
  string(PREPEND pc_runtime " -l")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/arenite.pc.in arenite.pc.in @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/arenite.pc INPUT ${PROJECT_BINARY_DIR}/arenite.pc.in)
install(FILES ${PROJECT_BINARY_DIR}/arenite.pc DESTINATION ${pc_dir})
