# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# upwash for C: libupwash_c and upwash.h (interop/c), for Fortran and other languages by C.

file(GLOB UPWASH_C_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interop/c/*.cpp)
set(UPWASH_C_HEADERS ${PROJECT_SOURCE_DIR}/interop/c/include)
# Compiled once, packed twice.
add_library(c_objects OBJECT ${UPWASH_C_SOURCES})
target_include_directories(c_objects PRIVATE ${UPWASH_C_HEADERS})
target_link_libraries(c_objects PRIVATE upwash_shared upwash_warnings fmt::fmt)
foreach(kind SHARED STATIC)
  string(TOLOWER c_${kind} target)
  string(TOLOWER upwash_${kind} library)
  add_library(${target} ${kind} $<TARGET_OBJECTS:c_objects>)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${UPWASH_C_HEADERS}>)
  target_link_libraries(${target} PRIVATE ${library} fmt::fmt)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME upwash_c)
endforeach()
target_link_options(c_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/interop/c/upwash_c.map)
set_target_properties(c_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${UPWASH_SOVERSION}
  INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${PROJECT_SOURCE_DIR}/interop/c/upwash_c.map)

include(GNUInstallDirs)
install(TARGETS c_shared c_static
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c-dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c-dev)
install(FILES ${UPWASH_C_HEADERS}/upwash.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c-dev)
file(RELATIVE_PATH UPWASH_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/interop/c/upwash-c.pc.in ${PROJECT_BINARY_DIR}/upwash-c.pc
               @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upwash-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT c-dev)

# Tests: each source is a program that says "NAME: N ranks" where all is right.
if(UPWASH_BUILD_TESTS AND TARGET upwash_command)
  include(CheckLanguage)
  enable_language(C)
  set(UPWASH_C_TESTS ${PROJECT_SOURCE_DIR}/tests/interop/c)
  file(GLOB sources CONFIGURE_DEPENDS ${UPWASH_C_TESTS}/*.c)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    file(GLOB fortran CONFIGURE_DEPENDS ${UPWASH_C_TESTS}/*.f90)
    list(APPEND sources ${fortran})
  endif()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(c_${name} ${source})
    target_link_libraries(c_${name} PRIVATE c_shared)
    set_target_properties(c_${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
    target_compile_options(c_${name} PRIVATE
      $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wstrict-prototypes>)
    list(APPEND UPWASH_C_PROGRAMS c_${name})
    foreach(how "1" "2" "5" "6 --ranks-per-process 3" "4 --conduit sim")
      string(REPLACE " " ";" words "${how}")
      string(REGEX REPLACE "[ -]+" "_" suffix "${how}")
      list(GET words 0 ranks)
      add_test(NAME c.${name}.${suffix} COMMAND upwash_command run -n ${words} --timeout 300s
               $<TARGET_FILE:c_${name}>)
      set_tests_properties(c.${name}.${suffix} PROPERTIES LABELS system TIMEOUT 900
        ENVIRONMENT "UPWASH_CONFIG=" PASS_REGULAR_EXPRESSION "${name}: ${ranks} ranks")
    endforeach()
  endforeach()
  add_custom_target(c_tests DEPENDS ${UPWASH_C_PROGRAMS} upwash_command)
  add_test(NAME c.installed COMMAND bash ${UPWASH_C_TESTS}/installed.sh
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(c.installed PROPERTIES LABELS system TIMEOUT 1200 ENVIRONMENT
    "UPWASH_TEST_BIN=${PROJECT_BINARY_DIR}/bin;UPWASH_TEST_BUILD=${PROJECT_BINARY_DIR};UPWASH_CONFIG=")
endif()
