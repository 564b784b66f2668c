# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
file(GLOB UPWASH_TOOL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.cpp)
file(GLOB UPWASH_BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
# What benches and applications share.
list(APPEND UPWASH_BENCH_SOURCES
     ${PROJECT_SOURCE_DIR}/apps/common/csr.cpp ${PROJECT_SOURCE_DIR}/apps/common/matrix_market.cpp
     ${PROJECT_SOURCE_DIR}/apps/randomaccess/generator.cpp
     ${PROJECT_SOURCE_DIR}/apps/unionfind/forest.cpp
     ${PROJECT_SOURCE_DIR}/apps/unionfind/graph_part.cpp)
# The page of `upwash report`, built in.
set(UPWASH_REPORT_FILES page.html style.css timeline.js matrix.js charts.js
    layers.js page.js traces.js schedule.js network.js
    uplot/uPlot.iife.min.js uplot/uPlot.min.css)
list(TRANSFORM UPWASH_REPORT_FILES PREPEND ${PROJECT_SOURCE_DIR}/tools/report/
     OUTPUT_VARIABLE UPWASH_REPORT_PATHS)
set(UPWASH_REPORT_SOURCE ${PROJECT_BINARY_DIR}/generated/report_files.cpp)
add_custom_command(OUTPUT ${UPWASH_REPORT_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/tools/report
          "-DFILES=${UPWASH_REPORT_FILES}" -DOUTPUT=${UPWASH_REPORT_SOURCE}
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${UPWASH_REPORT_PATHS} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
list(APPEND UPWASH_TOOL_SOURCES ${UPWASH_REPORT_SOURCE})
if(UPWASH_TOOL_SOURCES)
  find_package(CLI11 REQUIRED)
  add_library(bench_parts STATIC ${UPWASH_BENCH_SOURCES})
  target_link_libraries(bench_parts PUBLIC upwash_static
                        PRIVATE upwash_warnings fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_options(bench_parts PRIVATE -fPIE)  # for a program alone
  add_executable(upwash_command ${UPWASH_TOOL_SOURCES})
  set_target_properties(upwash_command PROPERTIES OUTPUT_NAME upwash)
  target_link_libraries(upwash_command PRIVATE bench_parts upwash_static upwash_warnings CLI11::CLI11
                        fmt::fmt nlohmann_json::nlohmann_json PkgConfig::hwloc)
  # Most of their time to compile is for CLI11's functions, which each has again: nothing there is hot.
  target_compile_options(upwash_command PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  target_precompile_headers(upwash_command PRIVATE
    <string> <vector> <memory> <CLI/CLI.hpp> <nlohmann/json.hpp> <fmt/format.h>)

  # `upwash trace --otf2`.
  find_path(UPWASH_OTF2_INCLUDE otf2/otf2.h)
  find_library(UPWASH_OTF2_LIBRARY NAMES open-trace-format2 otf2)
  if(UPWASH_OTF2_INCLUDE AND UPWASH_OTF2_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/tools/trace_otf2.cpp APPEND PROPERTY
                 COMPILE_DEFINITIONS UPWASH_HAS_OTF2)
    target_include_directories(upwash_command SYSTEM PRIVATE ${UPWASH_OTF2_INCLUDE})
    target_link_libraries(upwash_command PRIVATE ${UPWASH_OTF2_LIBRARY})
  else()
    message(STATUS "OTF2: not built; needed is libotf2-trace-dev")
  endif()

  # What `upwash info` says of the build. The commit is the one of the last configuration.
  set(UPWASH_SOURCE_VERSION "release ${PROJECT_VERSION}")
  find_program(UPWASH_GIT git)
  if(UPWASH_GIT)
    execute_process(COMMAND ${UPWASH_GIT} -C ${PROJECT_SOURCE_DIR} describe --always --dirty --tags
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                    RESULT_VARIABLE git_failed)
    if(NOT git_failed)
      set(UPWASH_SOURCE_VERSION "${described}")
    endif()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" flags)
  if(UPWASH_SANITIZE)
    string(APPEND flags " -fsanitize=${UPWASH_SANITIZE}")
  endif()
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/tools/info.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    UPWASH_SOURCE_VERSION="${UPWASH_SOURCE_VERSION}" UPWASH_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
    UPWASH_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    UPWASH_FLAGS="${flags}")

  # What `upwash cc` and `upwash cxx` start, and where headers and libraries are beside them.
  include(GNUInstallDirs)
  find_program(UPWASH_C_COMPILER NAMES cc gcc clang DOC "What upwash cc starts where CC is not set")
  if(NOT UPWASH_C_COMPILER)
    set(UPWASH_C_COMPILER cc)
  endif()
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/tools/compile.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    UPWASH_C_COMPILER="${UPWASH_C_COMPILER}" UPWASH_CXX_COMPILER="${CMAKE_CXX_COMPILER}"
    UPWASH_INCLUDE_FOLDER="${CMAKE_INSTALL_INCLUDEDIR}"
    UPWASH_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}" UPWASH_TOOL_SOURCE="${PROJECT_SOURCE_DIR}")
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/tools/mpi.cpp APPEND PROPERTY COMPILE_DEFINITIONS
    UPWASH_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}")
  target_link_libraries(upwash_command PRIVATE ${CMAKE_DL_LIBS})

  # Man pages and shell completion, as the command itself tells them.
  if(NOT CMAKE_CROSSCOMPILING AND NOT UPWASH_SANITIZE)
    set(UPWASH_SHARE ${PROJECT_BINARY_DIR}/share)
    find_program(UPWASH_GZIP gzip)
    set(compress ${CMAKE_COMMAND} -E true)
    if(UPWASH_GZIP)
      set(compress ${UPWASH_GZIP} -9nrf ${UPWASH_SHARE}/man)
    endif()
    add_custom_command(OUTPUT ${UPWASH_SHARE}/written
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${UPWASH_SHARE}
      COMMAND ${CMAKE_COMMAND} -E env UPWASH_CONFIG= $<TARGET_FILE:upwash_command> manual --into ${UPWASH_SHARE}
      COMMAND ${compress}
      COMMAND ${CMAKE_COMMAND} -E touch ${UPWASH_SHARE}/written
      DEPENDS upwash_command VERBATIM)
    add_custom_target(manual ALL DEPENDS ${UPWASH_SHARE}/written)
  endif()
endif()

# bench/compare-mpi and bench/shaped-hosts run these beside MPI libraries.
find_package(Threads REQUIRED)
# What bench/layers counts the instructions of: run by hand, see its head.
add_executable(layer_ways EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/compare/layer_ways.cpp)
target_link_libraries(layer_ways PRIVATE upwash_static upwash_warnings)
add_executable(first_calls EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/compare/first_calls.cpp)
target_link_libraries(first_calls PRIVATE upwash_static upwash_warnings)
add_executable(compare_upwash ${PROJECT_SOURCE_DIR}/bench/compare/upwash.cpp)
target_link_libraries(compare_upwash PRIVATE upwash_static upwash_warnings)
add_executable(compare_neighbors EXCLUDE_FROM_ALL
               ${PROJECT_SOURCE_DIR}/bench/compare/upwash_neighbors.cpp)
target_link_libraries(compare_neighbors PRIVATE upwash_static upwash_warnings)
add_executable(core_distance EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/compare/core_distance.cpp)
target_link_libraries(core_distance PRIVATE upwash_warnings Threads::Threads)
