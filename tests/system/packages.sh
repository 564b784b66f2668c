#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The packages for Debian: what is in them, what they depend on, no error of lintian's; unpacked side
# by side, programs build and run by them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
evidence=("$work/log")
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || {
    echo "packages: no $tool here"
    exit 77
  }
done
nm -D "$UPWASH_TEST_BUILD"/lib/libupwash.so | shows -E '__(asan|tsan)_' && {
  echo "packages: none of a build with sanitizers"
  exit 77
}
(cd "$work" && cpack --config "$UPWASH_TEST_BUILD/CPackConfig.cmake" >"$work/log" 2>&1) || fail "cpack"

root=$work/root
python=()
if compgen -G "$UPWASH_TEST_BUILD/lib/python/upwash/_upwash*.so" >/dev/null; then python=(python3-upwash); fi
for name in "${python[@]}" libupwash0 libupwash-dev upwash-tools libupwash-c0 libupwash-c-dev libarmci-upwash0 libarmci-upwash-dev; do
  deb=$(find "$work" -maxdepth 1 -name "${name}_*.deb")
  [[ -f $deb ]] || fail "no package $name"
  dpkg-deb -x "$deb" "$root"
  [[ -s $root/usr/share/doc/$name/copyright ]] || fail "$name has no copyright"
done
depends() { dpkg-deb -f "$work"/"$1"_*.deb Depends; }
depends libupwash0 | shows libc6 || fail "the library depends on what it links with"
! depends libupwash0 | shows -E 'openmpi|mpich|libucx|libpmix' || fail "the library depends on no engine"
depends libupwash-dev | shows -E 'libupwash0 \(= ?[0-9.]+\)' || fail "headers belong to their library"
depends upwash-tools | shows libupwash0 || fail "the command belongs to its library"
# No file is in two packages.
for deb in "$work"/*.deb; do dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }'; done | sort | uniq -d >"$work/log"
[[ ! -s $work/log ]] || fail "files of two packages"

if command -v lintian >/dev/null; then
  # The address of the packager is for who builds them to give.
  lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
    "$work"/*.deb >"$work/log" 2>&1 || fail "lintian: errors"
else
  echo "packages: no lintian here"
fi

libraries=$(dirname "$(find "$root/usr/lib" -name libupwash.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/consumer" && pwd)
read -ra flags <<<"$(pkg-config --cflags --libs upwash)"
g++ -std=c++20 "$sources/main.cpp" "${flags[@]}" -o "$work/program" >"$work/log" 2>&1 || fail "a program by the packages"
"$root/usr/bin/upwash" run -n 2 "$work/program" 2>&1 | shows works || fail "it runs"
"$root/usr/bin/upwash" schedule broadcast -n 64 --bytes 64k --machine edr >"$work/log" || fail "machine files are found"
read -ra flags <<<"$(pkg-config --cflags --libs upwash-c)"
sed -n '/^```c$/,/^```$/{/^```/d;p}' docs/c.md >"$work/program.c"
cc "$work/program.c" "${flags[@]}" -o "$work/in_c" >"$work/log" 2>&1 || fail "a program in C by the packages"
"$root/usr/bin/upwash" run -n 2 "$work/in_c" 2>&1 | shows "2 ranks" || fail "it runs"
if ((${#python[@]})); then
  depends python3-upwash | shows -E 'python3 \(<< 3\.[0-9]+\).*python3-numpy|python3-numpy.*python3 \(<<' || fail "the module is for one Python"
  PYTHONPATH=$root/usr/lib/python3/dist-packages "$root/usr/bin/upwash" run -n 2 /usr/bin/python3 -c \
    'import upwash; print(upwash.run(lambda job: job.world.allreduce(1)))' >"$work/log" 2>&1 || fail "a program in Python"
  grep -qx '\[2\]' "$work/log" || fail "a program in Python: its line"
fi
echo "packages: $(find "$work" -maxdepth 1 -name '*.deb' | wc -l)"
