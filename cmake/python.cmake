# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# `import upwash`: interop/python, for one Python, the system's unless UPWASH_PYTHON names another.
# In the build tree it is in lib/python (PYTHONPATH).
if(CMAKE_CROSSCOMPILING OR UPWASH_SANITIZE)
  message(STATUS "Python: not built with sanitizers or for other machines")
  return()
endif()
find_program(UPWASH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_path(UPWASH_PYBIND11 pybind11/pybind11.h)
if(NOT UPWASH_PYTHON OR NOT UPWASH_PYBIND11)
  message(STATUS "Python: not built; needed are /usr/bin/python3 (or UPWASH_PYTHON) and pybind11-dev")
  return()
endif()
execute_process(COMMAND ${UPWASH_PYTHON} -c
  "import sysconfig, numpy; print(sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX'), sep=';', end='')"
  OUTPUT_VARIABLE UPWASH_PYTHON_FACTS RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  message(STATUS "Python: not built; ${UPWASH_PYTHON} has no numpy (python3-numpy)")
  return()
endif()
list(GET UPWASH_PYTHON_FACTS 0 UPWASH_PYTHON_INCLUDE)
list(GET UPWASH_PYTHON_FACTS 1 UPWASH_PYTHON_SUFFIX)
if(NOT EXISTS ${UPWASH_PYTHON_INCLUDE}/Python.h)
  message(STATUS "Python: not built; no ${UPWASH_PYTHON_INCLUDE}/Python.h (python3-dev)")
  return()
endif()
message(STATUS "Python: import upwash for ${UPWASH_PYTHON}")

include(GNUInstallDirs)
set(UPWASH_PYTHON_SITE lib/python3/dist-packages CACHE STRING
    "Where the Python package is installed, below the prefix or absolute")
set(UPWASH_PYTHON_SOURCE ${PROJECT_SOURCE_DIR}/interop/python)
set(UPWASH_PYTHON_BUILT ${PROJECT_BINARY_DIR}/lib/python/upwash)
file(GLOB sources CONFIGURE_DEPENDS ${UPWASH_PYTHON_SOURCE}/*.cpp)
add_library(python_module MODULE ${sources})
target_include_directories(python_module PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(python_module SYSTEM PRIVATE ${UPWASH_PYTHON_INCLUDE} ${UPWASH_PYBIND11})
target_link_libraries(python_module PRIVATE upwash_shared upwash_warnings fmt::fmt)
# No headers of the project's own: a cache of two checkouts would take one's for the other's.
target_precompile_headers(python_module PRIVATE <pybind11/pybind11.h> <string> <vector>)
cmake_path(ABSOLUTE_PATH UPWASH_PYTHON_SITE BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
           OUTPUT_VARIABLE UPWASH_PYTHON_SITE_FULL)
file(RELATIVE_PATH UPWASH_PYTHON_TO_LIBRARY ${UPWASH_PYTHON_SITE_FULL}/upwash
     ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(python_module PROPERTIES PREFIX "" OUTPUT_NAME _upwash
  SUFFIX ${UPWASH_PYTHON_SUFFIX} LIBRARY_OUTPUT_DIRECTORY ${UPWASH_PYTHON_BUILT}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  INSTALL_RPATH "$ORIGIN/${UPWASH_PYTHON_TO_LIBRARY}")

# For the package: a module is for one minor version of Python.
execute_process(COMMAND ${UPWASH_PYTHON} -c
  "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1}), python3-numpy', end='')"
  OUTPUT_VARIABLE UPWASH_PYTHON_DEPENDS)

# The rest of the package is read where it stands.
file(GLOB files CONFIGURE_DEPENDS ${UPWASH_PYTHON_SOURCE}/upwash/*.py
     ${UPWASH_PYTHON_SOURCE}/upwash/*.pyi ${UPWASH_PYTHON_SOURCE}/upwash/py.typed)
file(MAKE_DIRECTORY ${UPWASH_PYTHON_BUILT})
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${UPWASH_PYTHON_BUILT}/${name} SYMBOLIC)
endforeach()
install(FILES ${files} DESTINATION ${UPWASH_PYTHON_SITE}/upwash COMPONENT python)
install(TARGETS python_module LIBRARY DESTINATION ${UPWASH_PYTHON_SITE}/upwash COMPONENT python)
