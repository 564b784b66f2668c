# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Each folder of apps/ is one program, named after the folder.
find_package(CLI11 REQUIRED)
file(GLOB UPWASH_APPS CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/apps/*)
foreach(folder ${UPWASH_APPS})
  if(IS_DIRECTORY ${folder})
    get_filename_component(app ${folder} NAME)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(EXISTS ${folder}/main.cpp)
      add_executable(${app} ${sources})
      target_link_libraries(${app} PRIVATE upwash_static upwash_warnings fmt::fmt CLI11::CLI11)
    endif()
  endif()
endforeach()
