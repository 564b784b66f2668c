# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Preload libraries for programs of MPI (interop/mpi): one for each library that cmake/plugins.cmake
# found. They link with none: their process has it.
if(CMAKE_CROSSCOMPILING OR (UPWASH_SANITIZE AND NOT UPWASH_SANITIZE STREQUAL "thread"))
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GNUInstallDirs)
set(UPWASH_MPI_FOLDER ${PROJECT_SOURCE_DIR}/interop/mpi)
file(GLOB UPWASH_MPI_TAKEN CONFIGURE_DEPENDS ${UPWASH_MPI_FOLDER}/*.cpp)
file(GLOB UPWASH_MPI_DETAIL CONFIGURE_DEPENDS ${UPWASH_MPI_FOLDER}/detail/*.cpp)

function(upwash_add_mpi_preload name)
  if(NOT ${name}_FOUND)
    message(STATUS "upwash mpi: no preload library for ${name}, which was not found")
    return()
  endif()
  set(out ${PROJECT_BINARY_DIR}/generated/mpi_${name})
  get_target_property(includes PkgConfig::${name} INTERFACE_INCLUDE_DIRECTORIES)
  set(compiler ${CMAKE_CXX_COMPILER})
  foreach(folder ${includes})
    string(APPEND compiler " -I${folder}")
  endforeach()
  set(written functions.hpp functions.cpp collectives.cpp messages.cpp fortran.cpp pass_through.cpp weak_names.hpp
      exports.map)
  list(TRANSFORM written PREPEND ${out}/)
  add_custom_command(
    OUTPUT ${written}
    COMMAND Python3::Interpreter ${UPWASH_MPI_FOLDER}/generate.py --compiler ${compiler}
            --out ${out} --described ${UPWASH_MPI_FOLDER}/detail/describe.hpp
            --taken ${UPWASH_MPI_TAKEN}
    COMMAND ${CMAKE_COMMAND} -E touch ${written}
    DEPENDS ${UPWASH_MPI_FOLDER}/generate.py ${UPWASH_MPI_FOLDER}/detail/describe.hpp
            ${UPWASH_MPI_TAKEN} VERBATIM)
  set(target mpi_preload_${name})
  add_library(${target} SHARED ${UPWASH_MPI_TAKEN} ${UPWASH_MPI_DETAIL} ${written})
  # MPI's header is not ours to warn of, and its old functions are called like the others.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${out})
  target_include_directories(${target} SYSTEM PRIVATE ${includes})
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(${target} PRIVATE -Wno-deprecated-declarations -fno-semantic-interposition)
  target_link_libraries(${target} PRIVATE upwash_static upwash_warnings fmt::fmt ${CMAKE_DL_LIBS})
  # Names of MPI only; found when they are called first, since a shell has none of them.
  target_link_options(${target} PRIVATE -Wl,--version-script=${out}/exports.map
    -Wl,-z,lazy -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME upwash-mpi-${name}
    CXX_VISIBILITY_PRESET default LINK_DEPENDS ${out}/exports.map)
  add_dependencies(${target} upwash_plugin_${name})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
endfunction()
upwash_add_mpi_preload(openmpi)
upwash_add_mpi_preload(mpich)
