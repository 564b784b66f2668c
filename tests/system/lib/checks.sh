# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For all system tests, sourced first: a folder to write to, and how a test fails.
upwash=$UPWASH_TEST_BIN/upwash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Files, or folders of files, whose ends are shown when the test fails.
evidence=()

fail() {
  echo "$(basename "$0" .sh): $*" >&2
  ((${#evidence[@]} == 0)) || grep -ar "" "${evidence[@]}" | tail -n 60 | sed 's/^/  | /' >&2 || true
  exit 1
}

# shows GREP-ARGUMENT...: whether standard input has such a line. Reads all of it: a writer whose
# reader has gone ends with a status of its own.
shows() { grep "$@" >/dev/null; }

# refused MESSAGE COMMAND...: exactly this line, nothing else, status 2.
refused() {
  local expected=$1 status=0 seen
  shift
  seen=$("$@" 2>&1) || status=$?
  [[ $status == 2 ]] || fail "'$*' ended with status $status: $seen"
  [[ $seen == "upwash: $expected" ]] || fail "'$*' said: $seen"
}
