# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Plugins of conduits over network engines (upwash/conduit/wire/plugin.hpp): each links with its
# engine and with nothing of upwash. Where an engine is not found there is no plugin, and who asks
# for the conduit is told so.
include(GNUInstallDirs)

# Compiles upwash/conduit/NAME/plugin into libupwash_NAME.so; then follows what it links with.
function(upwash_add_plugin name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/upwash/conduit/${name}/plugin/*.cpp)
  set(target upwash_plugin_${name})
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE upwash_warnings ${ARGN})
  if(NOT UPWASH_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME upwash_${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/upwash)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/upwash)
  # Who builds the library has its plugins.
  add_dependencies(upwash_shared ${target})
  add_dependencies(upwash_static ${target})
endfunction()

pkg_check_modules(ucx IMPORTED_TARGET ucx>=1.11)
if(ucx_FOUND)
  upwash_add_plugin(ucx PkgConfig::ucx)
endif()
