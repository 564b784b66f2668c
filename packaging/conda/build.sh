#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What conda-build runs in the sources: CMAKE_ARGS and PREFIX are its own.
set -euo pipefail
read -ra arguments <<<"${CMAKE_ARGS:-}"
cmake -S . -B build/conda -G Ninja "${arguments[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DUPWASH_BUILD_TESTS=OFF -DUPWASH_BUILD_APPS=OFF
cmake --build build/conda -j "${CPU_COUNT:-2}"
cmake --install build/conda
