# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs that tests begin on host a, over the hosts of hosts.sh, and how they end. For tests that source this
# after hosts.sh and say in `endless` which program talks until something ends it: its path, its arguments.
evidence=("$work/out" "$work/err")

# begin N OPTION...: has a job of N ranks on host a until all of them talk
begin() {
  local count=$1
  shift
  : >"$work/out"
  on_host a "$upwash" run -n "$count" "$@" "${endless[@]}" >"$work/out" 2>"$work/err" &
  job=$!
  for _ in $(seq 3000); do
    # What two ranks write at once may stand in one line.
    if [[ $(grep -o 'talking' "$work/out" | wc -l) == "$count" ]]; then
      begin_s=$SECONDS
      return
    fi
    sleep 0.02
  done
  fail "$case_now: $count ranks did not start"
}

# finish: waits for the job that begin began; its status is in `status` then
finish() {
  status=0
  wait "$job" || status=$?
}

# ended STATUS PATTERN: the job that finish waited for has ended so, STATUS being a pattern of the shell, with
# one line like PATTERN. That a process is stopped, or goes on, ends no job.
ended() {
  # shellcheck disable=SC2053
  [[ $status == $1 ]] || fail "$case_now: status $status, expected $1"
  [[ $(grep '^upwash: ' "$work/err" | grep -cvE ' is stopped; kill -CONT | goes on$') == 1 ]] ||
    fail "$case_now: expected one line"
  grep -qE "^upwash: $2\$" "$work/err" || fail "$case_now: expected a line like '$2'"
}

# ends STATUS PATTERN: the same, and nothing stays
ends() {
  ended "$@"
  nothing_runs
}

# fails_soon PATTERN: the job that begin began fails soon, with one line like PATTERN
fails_soon() {
  finish
  ended '[1-9]*' "$1"
  # 5 s are what is wanted of a machine with nothing else to do.
  ((SECONDS - begin_s < 15)) || fail "$case_now: ended after $((SECONDS - begin_s)) s"
  echo "$(basename "$0" .sh): $case_now: ended after $((SECONDS - begin_s)) s"
}
