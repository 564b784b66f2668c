# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Plugins of conduits over network engines (upwash/conduit/wire/plugin.hpp): each links with its
# engine and not with the library of upwash. Where an engine is not found there is no plugin, and who asks
# for the conduit is told so.
include(GNUInstallDirs)

# upwash_add_plugin(NAME [CONDUIT FOLDER] LIBRARY...): compiles upwash/conduit/FOLDER/plugin, by
# default that of NAME, into libupwash_NAME.so, which links with the libraries.
function(upwash_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "CONDUIT" "")
  if(NOT of_CONDUIT)
    set(of_CONDUIT ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/upwash/conduit/${of_CONDUIT}/plugin/*.cpp)
  set(target upwash_plugin_${name})
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE upwash_warnings ${of_UNPARSED_ARGUMENTS})
  if(NOT UPWASH_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME upwash_${name}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/upwash)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/upwash COMPONENT ${name})
  # Who builds the library has its plugins.
  add_dependencies(upwash_shared ${target})
  add_dependencies(upwash_static ${target})
endfunction()

# pkg-config knows the libraries of this machine.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

# Conduit mpi: one for each MPI library, of whose interface only the part in C is used.
function(upwash_add_mpi_plugin name package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${package})
  if(NOT ${name}_FOUND)
    message(STATUS "Conduit mpi: no plugin for ${name}, pkg-config does not know ${package}")
    return()
  endif()
  upwash_add_plugin(${name} CONDUIT mpi PkgConfig::${name})
  target_compile_definitions(upwash_plugin_${name} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endfunction()
upwash_add_mpi_plugin(openmpi ompi-c)
upwash_add_mpi_plugin(mpich mpich)

# Processes that other launchers start on several nodes meet by PMIx.
pkg_check_modules(pmix QUIET IMPORTED_TARGET pmix>=3)
if(pmix_FOUND)
  upwash_add_plugin(pmix CONDUIT foreign PkgConfig::pmix)
else()
  message(STATUS "Jobs of several nodes: no plugin for PMIx, pkg-config does not know pmix 3 or later")
endif()

pkg_check_modules(ucx QUIET IMPORTED_TARGET ucx>=1.11)
if(ucx_FOUND)
  upwash_add_plugin(ucx PkgConfig::ucx)
  # A function of the library that the plugin has a copy of.
  target_sources(upwash_plugin_ucx PRIVATE ${PROJECT_SOURCE_DIR}/upwash/base/private_memfd.cpp)
  # What the conduit adds to bare UCP: run by hand, see the head of its source.
  add_executable(over_ucx EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/compare/over_ucx.cpp)
  target_link_libraries(over_ucx PRIVATE upwash_static upwash_warnings PkgConfig::ucx)
else()
  message(STATUS "Conduit ucx: no plugin, pkg-config does not know ucx 1.11 or later")
endif()
