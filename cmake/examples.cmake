# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Each folder of examples/ is one small program, named after the folder; a test compares its output.
file(GLOB UPWASH_EXAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*/main.cpp)
foreach(source ${UPWASH_EXAMPLES})
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME example)
  add_executable(${example} ${source})
  target_link_libraries(${example} PRIVATE upwash_static upwash_warnings)
endforeach()
