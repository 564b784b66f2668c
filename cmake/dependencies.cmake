# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
find_path(UPWASH_HIGHWAY hwy/highway.h REQUIRED)  # headers alone are used
