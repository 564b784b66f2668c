# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# What the library loads while it runs: for conduit mpi a plugin for each MPI library that is found
# here (docs/decisions/0024-mpi-as-a-plugin.md). A plugin links with that library and with nothing
# of upwash, and nothing else sees it.
file(GLOB_RECURSE UPWASH_MPI_PLUGIN_SOURCES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/upwash/conduit/mpi/plugin/*.cpp)

# upwash_mpi_plugin(NAME PACKAGE): libupwash_NAME.so, where pkg-config knows PACKAGE.
function(upwash_mpi_plugin name package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${package})
  if(NOT ${name}_FOUND)
    message(STATUS "conduit mpi: without ${name} (pkg-config does not know ${package})")
    return()
  endif()
  add_library(upwash_${name} MODULE ${UPWASH_MPI_PLUGIN_SOURCES})
  target_include_directories(upwash_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(upwash_${name} PRIVATE PkgConfig::${name} upwash_warnings)
  # The C interface alone is used.
  target_compile_definitions(upwash_${name} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set_target_properties(upwash_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${UPWASH_PLUGIN_FOLDER})
  install(TARGETS upwash_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/upwash)
  # Whoever is built here is run with them.
  add_dependencies(upwash_shared upwash_${name})
  add_dependencies(upwash_static upwash_${name})
endfunction()

if(NOT CMAKE_CROSSCOMPILING)
  upwash_mpi_plugin(openmpi ompi-c)
  upwash_mpi_plugin(mpich mpich)
endif()
