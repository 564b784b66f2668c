# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# One object library, packed twice: libupwash.so and libupwash.a.
file(GLOB_RECURSE UPWASH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/upwash/*.cpp)
list(FILTER UPWASH_SOURCES EXCLUDE REGEX "/upwash/conduit/[a-z]+/plugin/")  # cmake/plugins.cmake
file(GLOB_RECURSE UPWASH_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/upwash/*.hpp)

# The table of conduits, from cmake/conduits.txt (upwash/runtime/detail/conduit_list.hpp).
set(UPWASH_CONDUIT_LIST ${PROJECT_SOURCE_DIR}/cmake/conduits.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${UPWASH_CONDUIT_LIST})
file(STRINGS ${UPWASH_CONDUIT_LIST} UPWASH_CONDUITS REGEX "^[a-z]")
set(UPWASH_CONDUIT_FUNCTIONS)
set(UPWASH_CONDUIT_ROWS)
foreach(name ${UPWASH_CONDUITS})
  if(name MATCHES "^([a-z_]+)[+]([a-z_]+)$")
    string(APPEND UPWASH_CONDUIT_ROWS
      "    {\"${name}\", &conduit::${CMAKE_MATCH_2}_row, &conduit::${CMAKE_MATCH_1}_row},\n")
    continue()
  endif()
  if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/upwash/conduit/${name})
    message(FATAL_ERROR "cmake/conduits.txt names ${name}, but there is no upwash/conduit/${name}")
  endif()
  string(APPEND UPWASH_CONDUIT_FUNCTIONS "conduit_row ${name}_row();\n")
  string(APPEND UPWASH_CONDUIT_ROWS "    {\"${name}\", &conduit::${name}_row, nullptr},\n")
endforeach()
string(REPLACE ";" "|" UPWASH_CONDUIT_CHOICES "${UPWASH_CONDUITS}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/conduit_list.cpp.in
  ${PROJECT_BINARY_DIR}/generated/conduit_list.cpp @ONLY)

add_library(upwash_objects OBJECT ${UPWASH_SOURCES}
  ${PROJECT_BINARY_DIR}/generated/conduit_list.cpp)
target_include_directories(upwash_objects PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
# Calls within the library are not to be replaced from outside: they may be inlined.
target_compile_options(upwash_objects PRIVATE -fno-semantic-interposition)
target_link_libraries(upwash_objects
  PUBLIC Threads::Threads
  PRIVATE upwash_warnings fmt::fmt spdlog::spdlog nlohmann_json::nlohmann_json Boost::context
          PkgConfig::hwloc)
# A path among the definitions of all sources would keep two checkouts from sharing a compiler cache.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/upwash/base/data_folders.cpp APPEND PROPERTY
  COMPILE_DEFINITIONS UPWASH_DATA_SOURCE="${PROJECT_SOURCE_DIR}")
# Where plugins of conduits are looked for.
include(GNUInstallDirs)
set_property(SOURCE ${PROJECT_SOURCE_DIR}/upwash/conduit/wire/plugin.cpp APPEND PROPERTY
  COMPILE_DEFINITIONS UPWASH_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}"
                      UPWASH_INSTALLED_LIBRARIES="${CMAKE_INSTALL_FULL_LIBDIR}"
                      UPWASH_BUILT_LIBRARIES="${PROJECT_BINARY_DIR}/lib")
# docs/decisions/0007-vectors-for-matching.md.
# Highway of Debian 12 has no vectors for the oldest x86-64; every processor since 2009 has these.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/upwash/matching/engines/detail/compare.cpp
    PROPERTIES COMPILE_OPTIONS -march=x86-64-v2 SKIP_PRECOMPILE_HEADERS ON)
endif()
# What the library and its users are built with agrees; without a definition the level is cheap.
if(NOT UPWASH_CHECKS MATCHES "^(off|cheap|full|collective)$")
  message(FATAL_ERROR "UPWASH_CHECKS=${UPWASH_CHECKS}: off, cheap, full or collective is wanted")
endif()
set(UPWASH_CHECK_DEFINITION)
if(NOT UPWASH_CHECKS STREQUAL "cheap")
  set(UPWASH_CHECK_DEFINITION UPWASH_CHECK_LEVEL=${UPWASH_CHECKS})
endif()
target_compile_definitions(upwash_objects PUBLIC ${UPWASH_CHECK_DEFINITION})
# GCC 12 crashes on a coroutine with lines for the debugger (-g1) behind a precompiled header.
if(UPWASH_SANITIZE)
  set(UPWASH_COROUTINES ${UPWASH_SOURCES})
  list(FILTER UPWASH_COROUTINES INCLUDE REGEX "/upwash/(collective/algorithms|neighborhood)/")
  set_source_files_properties(${UPWASH_COROUTINES} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()
target_precompile_headers(upwash_objects PRIVATE
  <string> <vector> <memory> <span> <atomic> <optional> <algorithm> <fmt/format.h>)

foreach(kind SHARED STATIC)
  string(TOLOWER upwash_${kind} target)
  add_library(${target} ${kind})
  target_link_libraries(${target} PUBLIC Threads::Threads
    PRIVATE upwash_objects fmt::fmt spdlog::spdlog Boost::context PkgConfig::hwloc)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC ${UPWASH_CHECK_DEFINITION})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME upwash)
endforeach()
target_link_options(upwash_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/upwash.map)
set_target_properties(upwash_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${UPWASH_SOVERSION}
                      EXPORT_NAME upwash LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/upwash.map)
add_library(upwash::upwash ALIAS upwash_shared)
add_library(upwash::upwash_static ALIAS upwash_static)
