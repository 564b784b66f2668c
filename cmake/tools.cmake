# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
file(GLOB UPWASH_TOOL_SOURCES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/tools/*.cpp ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(UPWASH_TOOL_SOURCES)
  find_package(CLI11 REQUIRED)
  add_executable(upwash_command ${UPWASH_TOOL_SOURCES})
  set_target_properties(upwash_command PROPERTIES OUTPUT_NAME upwash)
  target_link_libraries(upwash_command PRIVATE upwash_static upwash_warnings CLI11::CLI11 fmt::fmt
                        nlohmann_json::nlohmann_json PkgConfig::hwloc)
endif()
