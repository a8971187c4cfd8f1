# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
include_guard(GLOBAL)

# arenite_batches(result name size source...): sources, for compiling all of them at once: files that
# include up to `size` sources of a folder each, beside the sources that stay alone. What a source includes
# stands before all of them, and each is in a namespace of its own: names never meet, whatever they are.
# A file's name begins with that of its folder: <folder>-<number>.cpp.
#
# Alone stay sources with something that would be another thing there: a macro, a namespace with a name, a C
# function, a specialisation, an instantiation; and those with options of their own.
function(arenite_batches result name size)
  if(NOT size GREATER 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}-batches)
  set(sources "")
  set(before "")
  set(before_name "")
  set(batch "")
  set(number 0)
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}) # its includes stand in a batch
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    _arenite_can_be_in_a_batch(can ${source})
    if(options OR NOT can)
      list(APPEND sources ${source})
      continue()
    endif()
    get_filename_component(of ${source} DIRECTORY)
    list(LENGTH batch length)
    if(NOT of STREQUAL before OR length EQUAL size)
      _arenite_write_batch(sources ${folder}/${before_name}-${number}.cpp ${batch})
      math(EXPR number "${number} + 1")
      set(batch "")
    endif()
    set(before ${of})
    get_filename_component(before_name ${of} NAME)
    list(APPEND batch ${source})
  endforeach()
  _arenite_write_batch(sources ${folder}/${before_name}-${number}.cpp ${batch})
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(_arenite_can_be_in_a_batch result source)
  set(${result} OFF PARENT_SCOPE)
  file(STRINGS ${source} foreign REGEX "^( *# *define|namespace +[a-z]|extern|template *<>|template class|int main)")
  if(foreign)
    return()
  endif()
  set(${result} ON PARENT_SCOPE)
endfunction()

# Appends the file that includes the sources, or the one source, to the list `sources`.
function(_arenite_write_batch list file)
  list(LENGTH ARGN length)
  if(length LESS 2)
    set(${list} ${${list}} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(includes "")
  set(text "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} of_this REGEX "^ *# *(include|if|el|endif)") # with their conditions
    list(APPEND includes ${of_this})
    get_filename_component(name ${source} NAME_WE)
    string(APPEND text "namespace batch_${name} {\n#include \"${source}\"\n}\n")
  endforeach()
  list(JOIN includes "\n" includes)
  file(CONFIGURE OUTPUT ${file} CONTENT "${includes}\n\n${text}" @ONLY)
  set(${list} ${${list}} ${file} PARENT_SCOPE)
endfunction()
