#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Virtual ranks with a program's globals for themselves: shared objects and ordinary executables,
# what is refused, and ranks that end badly.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
libraries=$UPWASH_TEST_BUILD/lib
[[ -e $libraries/libupwash.so ]] || { echo "privatize: no shared library"; exit 77; }
# A shared object cannot bring a sanitizer into a process that has none.
nm -D "$libraries/libupwash.so" | shows -E '__(asan|tsan)_' && { echo "privatize: sanitized"; exit 77; }
source=$root/tests/programs/virtual_rank.cpp
export UPWASH_CONFIG=
evidence=("$work/out" "$work/err")
cd "$work"

"$upwash" cxx --privatize -O1 -DWITH_THREAD_LOCAL -DTLS_MODEL= "$source" -o shared 2>err ||
  fail "upwash cxx --privatize"
"$upwash" cxx -c -fPIE -O1 "$source" -o program.o && "$upwash" cxx -pie program.o -o executable ||
  fail "upwash cxx"

# runs STATUS OPTIONS PROGRAM ARGUMENT...: output in `out` and `err`.
runs() {
  local expected=$1 status=0
  shift
  timeout 120 "$upwash" run --timeout 60s "$@" >out 2>err || status=$?
  [[ $status == "$expected" ]] || fail "'$*': status $status, expected $expected"
}

# adds_up RANKS: each rank has counted for itself, has received by itself, and has ended once.
adds_up() {
  local rank counted
  for ((rank = 0; rank < $1; ++rank)); do
    counted=$((101 + rank))
    grep -qx "rank $rank: 101 1 8 1 2 1 2 0" out || fail "$1 ranks: rank $rank"
    grep -qx "at exit $counted" out || fail "$1 ranks: the exit of rank $rank"
    grep -qx "destroyed with $counted, behind 1" out || fail "$1 ranks: the end of rank $rank"
  done
  [[ $(grep -c "an option" out) == "$1" ]] || fail "$1 ranks: options"
  [[ $(wc -l <out) == $((4 * $1)) && ! -s err ]] || fail "$1 ranks: more lines"
}

for program in ./shared ./executable; do
  for how in "8 --ranks-per-process 4" "8 --ranks-per-process 8" "3" "1" "4 --conduit sim"; do
    # shellcheck disable=SC2086  # options
    runs 0 -n $how --privatize $program -x
    adds_up "${how%% *}"
  done
done
# An executable is one without the option, too.
runs 0 -n 3 ./executable -x
adds_up 3

# ends STATUS LINE ARGUMENT...: 6 ranks in two processes end with this line of the job.
ends() {
  local expected=$1 line=$2 program
  shift 2
  for program in ./shared ./executable; do
    runs "$expected" -n 6 --ranks-per-process 3 --privatize "$program" "$@"
    [[ $(tail -n 1 err) == "upwash: "$line ]] || fail "'$*': $(cat err)"
  done
}
ends 1 "rank 4: the program threw: out of luck; job ended" throw 4
ends 1 "rank 4: its program ended with status 0 before it had left the job; job ended" exit 4
ends 5 "rank 1: its program ended with status 5 before it had left the job; job ended" exit5 1
ends 2 "rank ?: its program ended with status 2; job ended" usage
ends 2 "rank ?: rank ? has left its job: run() and attach() join the job of upwash run once; job ended" twice
ends 1 "rank 2: its program ended with status 0 before it had joined the job, as others have; job ended" \
  stranger 2
runs 0 -n 6 --ranks-per-process 3 --privatize ./shared stranger
[[ ! -s err && $(grep -c "^at exit" out) == 6 ]] || fail "strangers: $(cat err)"

# Without the option exit ends a process, and the rank that called it is named before its process.
cat >leaves.cpp <<'END'
#include <cstdlib>
#include <upwash/upwash.hpp>
int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& here) {
    upwash::barrier(here.world(), upwash::blocking);
    if (here.rank() == 1) std::exit(5);
    upwash::barrier(here.world(), upwash::blocking);
  });
}
END
"$upwash" cxx leaves.cpp -o leaves || fail "upwash cxx leaves.cpp"
runs 5 -n 6 --ranks-per-process 3 ./leaves
grep -qx "upwash: rank 1 ends all ranks of its process: it called exit" err || fail "exit: $(cat err)"
tail -n 1 err | shows -E '^upwash: ranks 0 to 2 \(pid [0-9]+\) exited with status 5; job ended$' ||
  fail "exit: $(cat err)"

# An ordinary program finds the library's variables as its copies do.
sed 's/int main/static int calls = 0;\nint main/; s/\[\](upwash::job& job) {/[](upwash::job\& job) { ++calls;/' \
  "$root/examples/02_all_gather/main.cpp" >gathers.cpp
"$upwash" cxx -O1 gathers.cpp -o gathers || fail "upwash cxx of a program with collectives"
runs 0 -n 4 --ranks-per-process 2 --privatize ./gathers
[[ $(cat out) == "4 ranks, agreed" && ! -s err ]] || fail "gathers: $(cat out err)"

# Behind its job a rank ends as it likes: the largest status is the job's.
for program in ./shared ./executable; do
  runs 4 -n 6 --ranks-per-process 3 --privatize "$program" late
  [[ ! -s err && $(grep -c "^at exit" out) == 6 ]] || fail "late: $(cat err)"
  runs 3 -n 6 --ranks-per-process 3 --privatize "$program" status 4
  [[ ! -s err ]] || fail "status: $(cat err)"
done

# dies STATUS LINE ARGUMENT...: the rank that ran is named before its process.
dies() {
  local expected=$1 line=$2
  shift 2
  runs "$expected" -n 6 --ranks-per-process 3 --privatize ./shared "$@"
  grep -qx "upwash: $line" err || fail "'$*': $(cat err)"
  tail -n 1 err | shows -E '^upwash: ranks 3 to 5 \(pid [0-9]+\) were killed by signal ' || fail "'$*'"
}
dies 134 "rank 4 ends all ranks of its process: abort (signal 6)" abort 4
dies 139 "rank 5 ends all ranks of its process: segmentation fault (signal 11)" fault 5

# Programs of which no copies can be loaded: the line says how to build them.
build_it="build it with upwash cc --privatize or upwash cxx --privatize"
# not WHY PROGRAM: refused in one line, by the command itself or by the first process
not() { refused "--privatize: $2 $1; $build_it" "$upwash" run -n 2 --privatize "$2"; }
not "links no libupwash.so of this version, which its copies would share" "$UPWASH_TEST_BIN/virtual_rank"
echo true >script
not "is no program for this kind of machine" ./script
"$upwash" cxx program.o -no-pie -o fixed 2>err && not "can be loaded at one address only" ./fixed
strip -o stripped executable
not "does not say where its main is (it was stripped)" ./stripped
"$upwash" cxx -DWITH_THREAD_LOCAL -DTLS_MODEL= -fPIE "$source" -pie -o threads
not "has thread_local variables, which lie in a program where copies of it cannot have them" ./threads
cat >options.c <<'END'
#include <unistd.h>
int main(void) { return optarg != 0; }
END
"$upwash" cc -fPIE -pie options.c -o options
if readelf -r options | shows 'COPY.*optarg'; then
  not "takes the variable optarg of a library for its own" ./options
fi
refused "cannot start './nothing': No such file or directory" \
  "$upwash" run -n 2 --privatize ./nothing
refused "cannot start 'no-such-program': no such program" \
  "$upwash" run -n 2 --privatize no-such-program

# Variables of threads that want room of the first hour: the line names both ways out.
"$upwash" cxx --privatize -DWITH_THREAD_LOCAL \
  -DTLS_MODEL='[[gnu::tls_model("initial-exec")]]' "$source" -o early
runs 1 -n 8 --ranks-per-process 8 --privatize ./early
[[ $(wc -l <err) == 1 ]] || fail "static TLS: more than one line"
grep -q 'static TLS block; its thread_local variables must not be initial-exec' err ||
  fail "static TLS: $(cat err)"
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000 \
  runs 0 -n 8 --ranks-per-process 8 --privatize ./early -x
adds_up 8
mv shared gone && sed "s/libupwash.so.0/libupwish.so.0/" gone >shared && chmod +x shared
runs 2 -n 2 --privatize ./shared
grep -q '^upwash: --privatize: ./shared links libupwish.so.0, which does not load: ' err ||
  fail "a missing library: $(cat err)"
echo "privatize: ok"
