# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
include(cmake/cargo.cmake)

# VulkanMemoryAllocator, one header, and Vulkan's own come inside a package of Rust's registry. Makes
# the library arenite-lab-peer-vma, or sets vma_why.
function(arenite_lab_fetch_vma)
  arenite_lab_cargo(vk-mem vendor said)
  file(GLOB headers ${vendor}/vk-mem-*/vendor/VulkanMemoryAllocator/include/vk_mem_alloc.h)
  if(NOT headers)
    set(vma_why "${said}" PARENT_SCOPE)
    return()
  endif()
  list(GET headers -1 header)
  cmake_path(GET header PARENT_PATH own)
  file(STRINGS ${header} line REGEX "<b>Version" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+[-a-z]*" version "${line}")
  add_library(arenite-lab-peer-vma STATIC EXCLUDE_FROM_ALL subjects/vma.cpp)
  target_link_libraries(arenite-lab-peer-vma PRIVATE arenite-lab-base)
  target_include_directories(arenite-lab-peer-vma SYSTEM PRIVATE ${own} ${own}/../../Vulkan-Headers/include)
  target_compile_definitions(arenite-lab-peer-vma PRIVATE ARENITE_LAB_VMA_VERSION="${version}")
  target_compile_options(arenite-lab-peer-vma PRIVATE -w) # the header's own
endfunction()
