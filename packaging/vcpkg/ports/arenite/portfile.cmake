# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# An overlay port, for a checkout of Arenite: vcpkg install arenite --overlay-ports=packaging/vcpkg/ports
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES checks ARENITE_CHECKS)
if(NOT "checks" IN_LIST FEATURES)
  set(FEATURE_OPTIONS)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS} -DARENITE_BUILD_TESTS=OFF -DARENITE_BUILD_LAB=OFF -DARENITE_BUILD_ADVISOR=OFF -DARENITE_BUILD_EXAMPLES=OFF
          -DARENITE_BUILD_FUZZ=OFF -DARENITE_BUILD_BOTH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/arenite)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
