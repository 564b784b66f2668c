# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For the tests of applications, sourced after `program` is set to the name of one: runs that must
# be verified, and bad input that must be refused.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
binary=$UPWASH_TEST_BIN/$program
source "$root/tests/system/lib/checks.sh"

# verified RANKS CONDUIT ARGUMENT...: ends well, says all of "${lines[@]}" and that it is right.
# What it said is left in `seen`. More words of CONDUIT are options of `upwash run`.
verified() {
  local ranks=$1 conduit=$2 line
  shift 2
  seen=$("$upwash" run -n "$ranks" --conduit $conduit --timeout 120s "$binary" "$@") ||
    fail "'$*' on $ranks ranks, $conduit, ended badly: $seen"
  for line in "${lines[@]}" 'verified: yes'; do
    grep -q "^$line" <<<"$seen" || fail "'$*' on $ranks ranks, $conduit: no line '$line' in: $seen"
  done
}

# refuses_on RANKS MESSAGE ARGUMENT...: exactly this is said, once, with status 2.
refuses_on() {
  local ranks=$1 expected=$2 status=0 said
  shift 2
  said=$("$upwash" run -n "$ranks" "$binary" "$@" 2>&1) || status=$?
  [[ $status == 2 ]] || fail "'$*' on $ranks ranks ended with status $status: $said"
  [[ $said == "$expected" ]] || fail "'$*' on $ranks ranks said: $said"
}

# refuses MESSAGE ARGUMENT...: the same, alone and in jobs of 1 and 4 ranks.
refuses() {
  local expected=$1 said
  shift
  said=$("$binary" "$@" 2>&1) && fail "'$*' ended well"
  [[ $said == "$expected" ]] || fail "'$*' said: $said"
  refuses_on 1 "$expected" "$@"
  refuses_on 4 "$expected" "$@"
}
