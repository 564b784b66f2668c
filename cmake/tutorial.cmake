# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# The programs of docs/tutorial.md are built from the page; tests/system/tutorial.sh runs them.
set(page ${PROJECT_SOURCE_DIR}/docs/tutorial.md)
set(folder ${PROJECT_BINARY_DIR}/tutorial)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/system/lib/tutorial.py ${page}
          --programs ${folder}
  OUTPUT_VARIABLE programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" programs "${programs}")
foreach(program ${programs})
  add_executable(tutorial_${program} ${folder}/${program}.cpp)
  set_target_properties(tutorial_${program} PROPERTIES OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${folder})
  target_link_libraries(tutorial_${program} PRIVATE upwash_static upwash_warnings)
endforeach()
