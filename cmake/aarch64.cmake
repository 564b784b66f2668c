# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Debian's cross compiler for 64-bit ARM, and its programs under qemu-user. The libraries for arm64
# stand in a folder of their own, beside those of this machine: scripts/setup-aarch64 fills it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(UPWASH_ARM_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-libraries ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${UPWASH_ARM_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${UPWASH_ARM_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${UPWASH_ARM_ROOT})
# Headers that differ between architectures stand here; Debian's own compiler for arm64 would look.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${UPWASH_ARM_ROOT}/usr/include/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${UPWASH_ARM_ROOT}/usr/lib/aarch64-linux-gnu")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu
    -E LD_LIBRARY_PATH=${UPWASH_ARM_ROOT}/usr/lib/aarch64-linux-gnu)
