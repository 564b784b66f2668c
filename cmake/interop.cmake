# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Front ends for programs of other libraries: interop/NAME each. libarmci is what programs written
# for ARMCI link with; its C headers keep to a folder of their own, which no C++ program needs.

file(GLOB UPWASH_ARMCI_SOURCES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/interop/armci/*.cpp ${PROJECT_SOURCE_DIR}/interop/armci/detail/*.cpp)
set(UPWASH_ARMCI_HEADERS ${PROJECT_SOURCE_DIR}/interop/armci/include)
# Compiled once, packed twice.
add_library(armci_objects OBJECT ${UPWASH_ARMCI_SOURCES})
target_include_directories(armci_objects PRIVATE ${UPWASH_ARMCI_HEADERS})
target_link_libraries(armci_objects PRIVATE upwash_shared upwash_warnings fmt::fmt)
foreach(kind SHARED STATIC)
  string(TOLOWER armci_${kind} target)
  string(TOLOWER upwash_${kind} library)
  add_library(${target} ${kind} $<TARGET_OBJECTS:armci_objects>)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${UPWASH_ARMCI_HEADERS}>)
  target_link_libraries(${target} PRIVATE ${library} fmt::fmt ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME armci)
endforeach()
# Names of C only: what a program defines in C++ meets none of upwash's.
target_link_options(armci_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/interop/armci/armci.map)
set_target_properties(armci_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${UPWASH_SOVERSION}
  INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${PROJECT_SOURCE_DIR}/interop/armci/armci.map)
# Every call looks for its rank.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/interop/armci/detail/session.cpp APPEND PROPERTY
  COMPILE_OPTIONS -ftls-model=initial-exec)

include(GNUInstallDirs)
install(TARGETS armci_shared armci_static
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT armci NAMELINK_COMPONENT armci-dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT armci-dev)
install(DIRECTORY ${UPWASH_ARMCI_HEADERS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upwash/armci
        COMPONENT armci-dev FILES_MATCHING PATTERN "*.h")
file(RELATIVE_PATH UPWASH_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/interop/armci/upwash-armci.pc.in
               ${PROJECT_BINARY_DIR}/upwash-armci.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upwash-armci.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT armci-dev)

# Tests: each C source is a program, run with several numbers of ranks; each script runs some.
if(UPWASH_BUILD_TESTS AND TARGET upwash_command)
  enable_language(C)
  set(UPWASH_ARMCI_TESTS ${PROJECT_SOURCE_DIR}/tests/interop/armci)
  set(UPWASH_ARMCI_ENVIRONMENT
      "UPWASH_TEST_BIN=${PROJECT_BINARY_DIR}/bin;UPWASH_TEST_BUILD=${PROJECT_BINARY_DIR};UPWASH_CONFIG=")
  file(GLOB sources CONFIGURE_DEPENDS ${UPWASH_ARMCI_TESTS}/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(armci_${name} ${source})
    target_link_libraries(armci_${name} PRIVATE armci_shared)
    set_target_properties(armci_${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
    target_compile_options(armci_${name} PRIVATE -Wall -Wextra)
    list(APPEND UPWASH_ARMCI_PROGRAMS armci_${name})
    if(name STREQUAL "refusals")
      continue()
    endif()
    foreach(ranks 1 2 3 5)
      add_test(NAME armci.${name}.${ranks} COMMAND upwash_command run -n ${ranks} --timeout 300s
               $<TARGET_FILE:armci_${name}>)
      set_tests_properties(armci.${name}.${ranks} PROPERTIES LABELS system TIMEOUT 900
        ENVIRONMENT "UPWASH_CONFIG=" PASS_REGULAR_EXPRESSION "${name}: ${ranks} ranks")
    endforeach()
    # As virtual ranks; a sanitizer cannot be in copies of a program.
    if(NOT UPWASH_SANITIZE)
      foreach(each 2 4)
        add_test(NAME armci.${name}.4_by_${each} COMMAND upwash_command run -n 4
                 --ranks-per-process ${each} --privatize --timeout 300s
                 $<TARGET_FILE:armci_${name}>)
        set_tests_properties(armci.${name}.4_by_${each} PROPERTIES LABELS system TIMEOUT 900
          ENVIRONMENT "UPWASH_CONFIG=" PASS_REGULAR_EXPRESSION "${name}: 4 ranks")
      endforeach()
    endif()
  endforeach()
  # Preloaded for programs that start MPI and hardly use it.
  add_library(armci_alone MODULE ${UPWASH_ARMCI_TESTS}/mpi/alone.c)
  target_link_libraries(armci_alone PRIVATE armci_shared ${CMAKE_DL_LIBS})
  set_target_properties(armci_alone PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  target_compile_options(armci_alone PRIVATE -Wall -Wextra)
  add_custom_target(armci_tests DEPENDS ${UPWASH_ARMCI_PROGRAMS} armci_alone upwash_command)
  file(GLOB scripts CONFIGURE_DEPENDS ${UPWASH_ARMCI_TESTS}/*.sh)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME armci.${name} COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(armci.${name} PROPERTIES LABELS system TIMEOUT 1200 SKIP_RETURN_CODE 77
      ENVIRONMENT "${UPWASH_ARMCI_ENVIRONMENT}")
  endforeach()
endif()
