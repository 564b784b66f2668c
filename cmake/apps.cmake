# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Each folder of apps/ with a main.cpp is one program, named after the folder; apps/common is what
# they share.
find_package(CLI11 REQUIRED)
pkg_check_modules(fftw3 IMPORTED_TARGET fftw3)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/common/*.cpp)
add_library(apps_common STATIC ${sources})
target_link_libraries(apps_common PUBLIC upwash_static PRIVATE upwash_warnings fmt::fmt CLI11::CLI11)

# The parts of a program beside its main.cpp are a library, since tests link with them, too.
set(UPWASH_APPS_PARTS)
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/main.cpp)
foreach(program ${programs})
  get_filename_component(folder ${program} DIRECTORY)
  get_filename_component(app ${folder} NAME)
  if(app MATCHES "^(fft3d|md)$" AND NOT fftw3_FOUND)
    message(WARNING "${app} is not built: no FFTW (libfftw3-dev); scripts/setup installs it")
    continue()
  endif()
  add_executable(${app} ${program})
  target_link_libraries(${app} PRIVATE apps_common upwash_warnings fmt::fmt CLI11::CLI11)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(REMOVE_ITEM parts ${program})
  if(parts)
    add_library(${app}_parts STATIC ${parts})
    target_link_libraries(${app}_parts PUBLIC apps_common
                          PRIVATE upwash_warnings fmt::fmt CLI11::CLI11)
    target_compile_options(${app}_parts PRIVATE -fPIE)  # for programs alone
    target_link_libraries(${app} PRIVATE ${app}_parts)
    list(APPEND UPWASH_APPS_PARTS ${app}_parts)
  endif()
endforeach()
if(TARGET fft3d)
  target_link_libraries(fft3d_parts PUBLIC PkgConfig::fftw3)
  target_link_libraries(md_parts PUBLIC PkgConfig::fftw3)
endif()
