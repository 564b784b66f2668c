# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Tests mirror the tree under tests/. Labels: unit (no ranks), tsan (threads), job (ranks, on
# every conduit), tree (the sources themselves), system (whole programs). Time-outs are for what
# hangs: a loaded machine takes ten times as long as an idle one.
find_package(GTest REQUIRED)
include(GoogleTest)

# add_cases(PROGRAM LABEL TIMEOUT): a test for each of the program's cases. Under the address
# sanitizer, where starting a process takes longer than most cases, they run many a process. Left out
# there, unless UPWASH_TEST_LONG is set at configure time: figures of the papers, minutes of
# computation by code that other cases go through; and all worlds but threads, processes, a pretended
# network and composites, since simulated time changes nothing in who owns which memory.
function(add_cases program label timeout)
  if(NOT UPWASH_SANITIZE MATCHES address)
    gtest_discover_tests(${program} PROPERTIES LABELS ${label} TIMEOUT ${timeout} DISCOVERY_TIMEOUT 300)
    return()
  endif()
  set(left_out "--gtest_filter=-ghazimirsaeed_*:kumar_*:nishtala_*:narayanan_*:saify_*")
  string(APPEND left_out ":*_sim.*:*_weak.*:*_direct.*:*_packets.*:*_simulated.*")
  string(APPEND left_out ":simulated_*:*_on_4096_ranks:*_on_sim:*_on_a_simulated_machine_*")
  if(DEFINED ENV{UPWASH_TEST_LONG})
    set(left_out)
  endif()
  set(shards 40)
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${program}.${shard}_of_${shards} COMMAND ${program} --gtest_brief=1 ${left_out})
    set_tests_properties(${program}.${shard}_of_${shards} PROPERTIES LABELS ${label} TIMEOUT 3600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# The library under test is optimized as users have it. Test code runs once: the compiler's time
# counts more than its own, and -O1 takes a fifth less of it than -O3.
add_library(upwash_test_options INTERFACE)
target_compile_options(upwash_test_options INTERFACE $<$<CONFIG:Release>:-O1>)
# Alignment is checked in the library, where bytes become objects; in the tests' own code the check
# would take a third of the time to compile.
if(UPWASH_SANITIZE MATCHES "undefined")
  target_compile_options(upwash_test_options INTERFACE -fno-sanitize=alignment)
endif()

# A network of pretended processes, for both.
file(GLOB UPWASH_WIRE_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conduit/wire/pretended_*.cpp)

# One executable for the tests that need no ranks ...
file(GLOB UPWASH_UNIT_TESTS CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/base/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/observe/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/model/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/simulator/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/simulator/network/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/conduit/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/conduit/*/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/schedule/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/collective/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/tuning/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/matching/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/launch/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/streaming/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/onesided/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/privatize/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/neighborhood/*_test.cpp)
# The parts of applications that need no ranks are tested with the library.
if(UPWASH_BUILD_APPS)
  file(GLOB UPWASH_APP_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/apps/*_test.cpp)
  if(NOT fftw3_FOUND)
    list(FILTER UPWASH_APP_TESTS EXCLUDE REGEX "/(md|pme)_test")
  endif()
  list(APPEND UPWASH_UNIT_TESTS ${UPWASH_APP_TESTS})
endif()
# Under the thread sanitizer only what threads share is built: the shared-memory conduit and the
# layers below it.
if(UPWASH_SANITIZE MATCHES thread)
  file(GLOB UPWASH_THREAD_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/conduit/shm/*_test.cpp)
  list(APPEND UPWASH_THREAD_TESTS ${PROJECT_SOURCE_DIR}/tests/core/lent_tasks_test.cpp
       ${PROJECT_SOURCE_DIR}/tests/conduit/wire/threaded_test.cpp
       ${PROJECT_SOURCE_DIR}/tests/conduit/wire/pretended_transport.cpp
       ${PROJECT_SOURCE_DIR}/tests/conduit/wire/pretended_memory.cpp)
  set(UPWASH_THREAD_SOURCES ${UPWASH_SOURCES})
  list(FILTER UPWASH_THREAD_SOURCES INCLUDE REGEX
       "/upwash/(base/|observe/|launch/|conduit/[^/]*$|conduit/shm/|conduit/foreign/|conduit/wire/)")
  add_executable(thread_tests ${UPWASH_THREAD_TESTS} ${UPWASH_THREAD_SOURCES})
  target_include_directories(thread_tests PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(thread_tests PRIVATE upwash_warnings GTest::gtest_main fmt::fmt spdlog::spdlog
                        nlohmann_json::nlohmann_json Boost::context PkgConfig::hwloc)
  target_precompile_headers(thread_tests PRIVATE <string> <vector> <memory> <fmt/format.h>)
  gtest_discover_tests(thread_tests PROPERTIES LABELS tsan TIMEOUT 900 DISCOVERY_TIMEOUT 300)
endif()
if(UPWASH_UNIT_TESTS)
  add_executable(unit_tests ${UPWASH_UNIT_TESTS} ${UPWASH_WIRE_TESTS} ${PROJECT_SOURCE_DIR}/tests/allocations.cpp)
  target_link_libraries(unit_tests PRIVATE ${UPWASH_APPS_PARTS} $<TARGET_NAME_IF_EXISTS:apps_common>
                        upwash_static upwash_warnings upwash_test_options GTest::gtest_main fmt::fmt
                        nlohmann_json::nlohmann_json)
  # Only those that read files are told where; in all commands, these paths would keep two
  # checkouts from sharing a compiler cache.
  foreach(source ${UPWASH_UNIT_TESTS})
    file(STRINGS ${source} names_folders REGEX "UPWASH_(SOURCE|BINARY)_DIR")
    if(names_folders)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
        UPWASH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" UPWASH_BINARY_DIR="${PROJECT_BINARY_DIR}")
    endif()
  endforeach()
  target_precompile_headers(unit_tests PRIVATE <gtest/gtest.h> <string> <vector>)
  # What the loader of plugins accepts and refuses.
  foreach(name good old other bare)
    add_library(wire_plugin_${name} MODULE ${PROJECT_SOURCE_DIR}/tests/conduit/wire/plugins/${name}.cpp)
    set_target_properties(wire_plugin_${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/test_plugins)
    target_include_directories(wire_plugin_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    add_dependencies(unit_tests wire_plugin_${name})
  endforeach()
  add_cases(unit_tests unit 900)
endif()

# The bare endpoint against the machine: run by hand, see the head of its source.
if(NOT UPWASH_SANITIZE)
  add_executable(shm_bench ${PROJECT_SOURCE_DIR}/tests/conduit/shm/shm_bench.cpp)
  target_link_libraries(shm_bench PRIVATE upwash_static upwash_warnings fmt::fmt)
endif()

# ... and one for bodies that ranks run, on every conduit (tests/harness).
file(GLOB UPWASH_JOB_TESTS CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tests/harness/*.cpp ${PROJECT_SOURCE_DIR}/tests/core/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/runtime/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/collective/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/tuning/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/matching/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/onesided/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/neighborhood/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/streaming/jobs/*_test.cpp
     ${PROJECT_SOURCE_DIR}/tests/objects/*.cpp)
if(UPWASH_BUILD_APPS)
  file(GLOB UPWASH_APP_JOB_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/apps/jobs/*_test.cpp)
  if(NOT fftw3_FOUND)
    list(FILTER UPWASH_APP_JOB_TESTS EXCLUDE REGEX "/(md|pme)_test")
  endif()
  list(APPEND UPWASH_JOB_TESTS ${UPWASH_APP_JOB_TESTS})
endif()
if(UPWASH_JOB_TESTS)
  add_executable(job_tests ${UPWASH_JOB_TESTS} ${UPWASH_WIRE_TESTS} ${PROJECT_SOURCE_DIR}/tests/allocations.cpp)
  target_link_libraries(job_tests PRIVATE $<TARGET_NAME_IF_EXISTS:md_parts> $<TARGET_NAME_IF_EXISTS:apps_common>
                        upwash_static upwash_warnings upwash_test_options GTest::gtest fmt::fmt)
  # None of the project: what one checkout made of these a cache of compilers may give to another.
  target_precompile_headers(job_tests PRIVATE
    <gtest/gtest.h> <fmt/format.h> <algorithm> <array> <functional> <map> <memory> <numeric> <optional>
    <span> <string> <vector>)
  # They work in the namespace of conduits, some of whose names are core's too.
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/tests/harness/weak_world.cpp
    ${PROJECT_SOURCE_DIR}/tests/harness/composite_worlds.cpp ${UPWASH_WIRE_TESTS}
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  # As in cmake/library.cmake.
  foreach(source ${UPWASH_JOB_TESTS})
    file(STRINGS ${source} coroutine REGEX "co_yield")
    if(UPWASH_SANITIZE AND coroutine)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  # The harness has a watchdog of its own; the long sweeps may take this long.
  add_cases(job_tests job 3600)
endif()

# Checks of the tree itself: scripts/check-*.
file(GLOB UPWASH_CHECKS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/check-*)
foreach(check ${UPWASH_CHECKS})
  get_filename_component(name ${check} NAME)
  add_test(NAME ${name} COMMAND ${check} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS tree TIMEOUT 1800 SKIP_RETURN_CODE 77
    ENVIRONMENT "UPWASH_TEST_BUILD=${PROJECT_BINARY_DIR}")
endforeach()
add_test(NAME checks_can_fail COMMAND ${PROJECT_SOURCE_DIR}/tests/tree/checks_can_fail.py)
set_tests_properties(checks_can_fail PROPERTIES LABELS tree TIMEOUT 600)

# Misuses that the interface forbids: each source compiles, but not with MISUSE defined.
file(GLOB UPWASH_MISUSES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/compile_fail/*.cpp)
foreach(source ${UPWASH_MISUSES})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME compile_fail.${name} COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER}
    "-DFLAGS=-std=c++20;-Wall;-Werror;-I${PROJECT_SOURCE_DIR}" -DSOURCE=${source}
    -P ${PROJECT_SOURCE_DIR}/tests/compile_fail/check.cmake)
  set_tests_properties(compile_fail.${name} PROPERTIES LABELS tree TIMEOUT 600)
endforeach()

# Small programs that the system tests run: each source is one.
file(GLOB UPWASH_TEST_PROGRAMS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/programs/*.cpp)
foreach(source ${UPWASH_TEST_PROGRAMS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE upwash_static upwash_warnings fmt::fmt)
endforeach()

# Whole programs and the command, as users run them: tests/system/*.sh.
file(GLOB UPWASH_SYSTEM_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/system/*.sh)
foreach(script ${UPWASH_SYSTEM_TESTS})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME system.${name} COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(system.${name} PROPERTIES LABELS system TIMEOUT 1200
    SKIP_RETURN_CODE 77
    ENVIRONMENT "UPWASH_TEST_BIN=${PROJECT_BINARY_DIR}/bin;UPWASH_TEST_BUILD=${PROJECT_BINARY_DIR}")
endforeach()
# Under load, processes of Open MPI 4.1.4 die or hang in MPI_Init below srun (docs/clusters.md).
set_tests_properties(system.slurm PROPERTIES RUN_SERIAL ON)
