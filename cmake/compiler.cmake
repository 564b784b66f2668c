# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Without a cache of inodes, ccache hashes the precompiled header, 60 MB, for each source: about a
# quarter of the samples of a cold build.
find_program(UPWASH_CCACHE ccache)
if(UPWASH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1 ${UPWASH_CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
find_program(UPWASH_MOLD mold)
if(UPWASH_MOLD AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=mold)
endif()

set(UPWASH_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(UPWASH_SANITIZE)
  add_compile_options(-fsanitize=${UPWASH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${UPWASH_SANITIZE})
  # What is found ends the test: going on would hide it, and the code for that takes a third of the
  # time to compile. A null pointer ends it anyway, by the address sanitizer.
  if(UPWASH_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all -fno-sanitize=null)
  endif()
endif()

add_library(upwash_warnings INTERFACE)
target_compile_options(upwash_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi
  $<$<BOOL:${UPWASH_WERROR}>:-Werror>)
# std::stable_sort of libstdc++ 12 calls a deprecated function of its own, and clang 19 warns of it.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -Werror=deprecated-declarations)
  check_cxx_source_compiles("#include <algorithm>
    int main() { int items[2] = {}; std::stable_sort(items, items + 2); }" UPWASH_STABLE_SORT_IS_QUIET)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT UPWASH_STABLE_SORT_IS_QUIET)
    target_compile_options(upwash_warnings INTERFACE -Wno-deprecated-declarations)
  endif()
endif()
