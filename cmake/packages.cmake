# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Packages of Debian: `cpack --config build/release/CPackConfig.cmake` writes one .deb a component
# into the current folder (docs/packages.md). What they depend on is what their libraries link with.
set(UPWASH_PACKAGER "the upwash authors <packages@upwash.invalid>" CACHE STRING
    "Who answers for the packages: name <address>")
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "${UPWASH_PACKAGER}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "communication runtime for parallel programs")
set(CPACK_COMPONENTS_ALL)

# What each package says of itself: a changelog in Debian's form, and the licence.
set(UPWASH_PACKAGE_TEXTS ${PROJECT_BINARY_DIR}/package)
string(TIMESTAMP UPWASH_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${UPWASH_PACKAGE_TEXTS}/changelog
"upwash (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the documentation says what is new.

 -- ${UPWASH_PACKAGER}  ${UPWASH_PACKAGE_DATE}
")
file(WRITE ${UPWASH_PACKAGE_TEXTS}/triggers "activate-noawait ldconfig\n")
# PMIx lies in a folder of its own, which its pkg-config file names.
file(WRITE ${UPWASH_PACKAGE_TEXTS}/libupwash-pmix "libupwash-pmix: custom-library-search-path *\n")
file(ARCHIVE_CREATE OUTPUT ${UPWASH_PACKAGE_TEXTS}/changelog.gz PATHS ${UPWASH_PACKAGE_TEXTS}/changelog
     FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)

# upwash_package(COMPONENT NAME SECTION TEXT [LIBRARY] [DEPENDS COMPONENT...] [CONFLICTS NAME]):
# LIBRARY: has shared libraries in the folder of the system's.
function(upwash_package component name section text)
  cmake_parse_arguments(PARSE_ARGV 4 of "LIBRARY" "CONFLICTS" "DEPENDS")
  string(TOUPPER ${component} upper)
  set(prefix CPACK_DEBIAN_${upper})
  set(${prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(${prefix}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  if(of_LIBRARY)
    set(${prefix}_PACKAGE_CONTROL_EXTRA ${UPWASH_PACKAGE_TEXTS}/triggers PARENT_SCOPE)
  endif()
  if(of_DEPENDS)
    set(CPACK_COMPONENT_${upper}_DEPENDS ${of_DEPENDS} PARENT_SCOPE)
  endif()
  if(of_CONFLICTS)
    set(${prefix}_PACKAGE_CONFLICTS ${of_CONFLICTS} PARENT_SCOPE)
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${UPWASH_PACKAGE_TEXTS}/changelog.gz DESTINATION share/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
upwash_package(library libupwash0 libs
  "Jobs of ranks that put, get, send messages and call collectives: in shared
memory, over MPI libraries, over UCX, and on simulated machines." LIBRARY)
upwash_package(dev libupwash-dev libdevel
  "Headers for C++20, the static library, the CMake package, documentation."
  DEPENDS library)
if(TARGET upwash_command)
  upwash_package(tools upwash-tools utils
    "Starts, watches, traces, prices, simulates and tunes jobs of upwash."
    DEPENDS library)
endif()
if(TARGET c_shared)
  upwash_package(c libupwash-c0 libs "What programs in C and Fortran link with."
    LIBRARY DEPENDS library)
  upwash_package(c-dev libupwash-c-dev libdevel "upwash.h and the static library for C."
    DEPENDS c dev)
endif()
if(TARGET python_module)
  upwash_package(python python3-upwash python
    "import upwash: collectives, messages, memory and streams by numpy arrays;
schedules, traces and tuning data as pandas frames." DEPENDS library)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS ${UPWASH_PYTHON_DEPENDS})
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "upwash-tools, python3-pandas, python3-matplotlib")
endif()
if(TARGET armci_shared)
  upwash_package(armci libarmci-upwash0 libs
    "The library that programs written for ARMCI link with, over upwash."
    LIBRARY DEPENDS library CONFLICTS libarmci-mpi)
  upwash_package(armci-dev libarmci-upwash-dev libdevel
    "ARMCI's headers and its static library, over upwash."
    DEPENDS armci dev CONFLICTS libarmci-mpi-dev)
endif()
foreach(engine openmpi mpich)
  if(TARGET mpi_preload_${engine})
    upwash_package(${engine} libupwash-${engine} libs
      "What libupwash0 loads to run over ${engine}, and what upwash mpi preloads."
      LIBRARY DEPENDS library)
  endif()
endforeach()
foreach(engine ucx pmix)
  if(TARGET upwash_plugin_${engine})
    upwash_package(${engine} libupwash-${engine} libs
      "What libupwash0 loads when ${engine} is asked for." DEPENDS library)
  endif()
endforeach()
install(FILES ${UPWASH_PACKAGE_TEXTS}/libupwash-pmix DESTINATION share/lintian/overrides
        COMPONENT pmix EXCLUDE_FROM_ALL)
include(CPack)
