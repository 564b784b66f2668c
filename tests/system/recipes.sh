#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The recipes of packaging/: each parses, and names this version, what CMake asks for and files that are there; where
# one of these is broken that is found. What Conda runs beside the installed package works beside an installation.
# Spack, conda-build and engines for containers are not run: where one is installed the last lines say so.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
evidence=("$work/out")
look() { python3 "$root/tests/system/lib/recipes.py" "$@" >"$work/out" 2>&1; }

PYTHONPYCACHEPREFIX=$work/cache python3 -m py_compile "$root/packaging/spack/package.py" || fail "spack: syntax"
bash -n "$root/packaging/conda/build.sh" && bash -n "$root/packaging/conda/run_test.sh" || fail "conda: syntax"

recipes=(spack container)
if python3 -c 'import jinja2, yaml' 2>/dev/null; then
  recipes+=(conda)
else
  echo "recipes: conda: skipped: python3 has no jinja2 and yaml"
fi
for recipe in "${recipes[@]}"; do
  look "$root" "$recipe" || fail "$recipe"
done

# broken RECIPE FILE EXPRESSION MESSAGE: in a copy that sed changes, this is found.
broken() {
  [[ " ${recipes[*]} " == *" $1 "* ]] || return 0
  rm -rf "$work/tree"
  mkdir -p "$work/tree/upwash/base"
  cp -r "$root/packaging" "$root/cmake" "$root/CMakeLists.txt" "$root/LICENSE" "$root/scripts" "$root/examples" "$work/tree"
  cp "$root/upwash/base/version.hpp" "$work/tree/upwash/base"
  sed -i "$3" "$work/tree/$2"
  ! look "$work/tree" "$1" || fail "$1: not found: $4"
  shows -F "$4" <"$work/out" || fail "$1: another message than: $4"
}
broken spack packaging/spack/package.py '/depends_on("hwloc/d' "hwloc is missing, for hwloc"
broken spack packaging/spack/package.py 's/when="+ucx"/when="+ucy"/' "there is no variant ucy"
broken spack packaging/spack/package.py 's/UPWASH_BUILD_APPS/UPWASH_APPS/' "CMake has no option UPWASH_APPS"
broken spack upwash/base/version.hpp 's/define UPWASH_VERSION "[^"]*/define UPWASH_VERSION "9.9.9/' "it is not of version 9.9.9"
broken conda packaging/conda/meta.yaml '/- libhwy/d' "libhwy is missing, for highway"
broken conda packaging/conda/meta.yaml 's/{{ version }}/{{ versoin }}/' "'versoin' is undefined"
broken conda packaging/conda/meta.yaml 's/- run_test.sh/- run_tests.sh/' "there is no run_tests.sh"
broken container packaging/Containerfile 's/libfmt-dev//' "libfmt-dev is missing, for fmt"
broken container packaging/Containerfile 's/--from=build/--from=biuld/' "what is copied is not there"
broken container packaging/Containerfile 's/^COPY \./COPIE ./' "no step: COPIE"
broken container packaging/Containerfile 's/02_all_gather/02_gather/' "there is no examples/02_gather/main.cpp"
broken container scripts/setup 's/ libhwy-dev//' "scripts/setup does not install libhwy-dev"
broken spack cmake/dependencies.cmake 's/find_package(fmt/find_package(zlib/' "nobody knows what package zlib is in"

if nm -D "$UPWASH_TEST_BUILD/lib/libupwash.so" 2>/dev/null | shows -v -E '__(asan|tsan)_'; then
  prefix=$work/prefix
  cmake --install "$UPWASH_TEST_BUILD" --prefix "$prefix" >"$work/out" 2>&1 || fail "no installation"
  mkdir "$work/test"
  (cd "$work/test" && PATH=$prefix/bin:$PATH bash "$root/packaging/conda/run_test.sh") >"$work/out" 2>&1 || fail "conda's test"
else
  echo "recipes: conda's test: skipped: no build without sanitizers"
fi
for tool in spack conda-build podman buildah; do
  if command -v "$tool" >/dev/null; then echo "recipes: $tool is here, but not run: packaging/README.md"; fi
done
echo "recipes: ok"
