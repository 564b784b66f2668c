# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For tests of what a job that hangs says. Needs checks.sh, and `out`, the file to look at.

# until_said SECONDS PATTERN... -- COMMAND...: runs the command until its output has a line of each
# pattern, so many seconds longer, and ends it. What never comes meets the command's time-out.
until_said() {
  local longer=$1 patterns=() pattern pid
  shift
  while [[ $1 != -- ]]; do
    patterns+=("$1")
    shift
  done
  shift
  : >"$out"  # what the last one has said is not looked at
  "$@" >>"$out" 2>&1 &
  pid=$!
  for pattern in "${patterns[@]}"; do
    while kill -0 "$pid" 2>/dev/null && ! grep -qE "$pattern" "$out"; do sleep 0.05; done
  done
  sleep "$longer"
  kill "$pid" 2>/dev/null || true
  wait "$pid" || true
}

# split_at_dashes ARGUMENT...: what stands before -- in `command`, what stands behind in `wanted`
split_at_dashes() {
  command=()
  while [[ $1 != -- ]]; do
    command+=("$1")
    shift
  done
  wanted=("${@:2}")
}

# each_once: each pattern of `wanted` fits one line of the output of `command`
each_once() {
  local pattern
  for pattern in "${wanted[@]}"; do
    [[ $(grep -cE "$pattern" "$out") == 1 ]] || fail "'$pattern' by ${command[*]}"
  done
}
