# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Each folder of apps/ with a main.cpp is one program, named after the folder; apps/common is what
# they share. Sources beside the main.cpp that need no ranks are tested with the library.
find_package(CLI11 REQUIRED)
pkg_check_modules(fftw3 IMPORTED_TARGET fftw3)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/common/*.cpp)
add_library(apps_common STATIC ${sources})
target_link_libraries(apps_common PUBLIC upwash_static PRIVATE upwash_warnings fmt::fmt CLI11::CLI11)

file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/main.cpp)
foreach(program ${programs})
  get_filename_component(folder ${program} DIRECTORY)
  get_filename_component(app ${folder} NAME)
  if(app MATCHES "^(fft3d|md)$" AND NOT fftw3_FOUND)
    message(WARNING "${app} is not built: no FFTW (libfftw3-dev); scripts/setup installs it")
    continue()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_executable(${app} ${sources})
  target_link_libraries(${app} PRIVATE apps_common upwash_warnings fmt::fmt CLI11::CLI11)
endforeach()
if(TARGET fft3d)
  target_link_libraries(fft3d PRIVATE PkgConfig::fftw3)
  target_link_libraries(md PRIVATE PkgConfig::fftw3)
endif()

set(UPWASH_APPS_WITHOUT_RANKS
    ${PROJECT_SOURCE_DIR}/apps/fft3d/nas.cpp ${PROJECT_SOURCE_DIR}/apps/fft3d/partition.cpp
    ${PROJECT_SOURCE_DIR}/apps/cg/solver.cpp ${PROJECT_SOURCE_DIR}/apps/radixsort/buckets.cpp
    ${PROJECT_SOURCE_DIR}/apps/randomaccess/generator.cpp ${PROJECT_SOURCE_DIR}/apps/stencil/cells.cpp
    ${PROJECT_SOURCE_DIR}/apps/unionfind/forest.cpp ${PROJECT_SOURCE_DIR}/apps/phold/process.cpp)
set(UPWASH_APPS_LIBRARIES "")
if(fftw3_FOUND)
  set(UPWASH_APPS_LIBRARIES PkgConfig::fftw3)
  foreach(part kernel space topology particles mesh planes ewald content serial)
    list(APPEND UPWASH_APPS_WITHOUT_RANKS ${PROJECT_SOURCE_DIR}/apps/md/${part}.cpp)
  endforeach()
endif()
# What job tests run on every conduit.
file(GLOB UPWASH_APPS_WITH_RANKS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/md/*.cpp)
list(REMOVE_ITEM UPWASH_APPS_WITH_RANKS ${PROJECT_SOURCE_DIR}/apps/md/main.cpp
     ${PROJECT_SOURCE_DIR}/apps/md/options.cpp)
if(NOT fftw3_FOUND)
  set(UPWASH_APPS_WITH_RANKS "")
endif()
