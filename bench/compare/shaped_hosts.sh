#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# shaped_hosts.sh N RATE [DELAY]: N hosts as the system tests have them, whose links carry no more than RATE
# and, where the kernel has netem, add DELAY; for as long as its input is open. Says "ready FOLDER" when
# they are there. Status 77 where namespaces are not permitted. For bench/shaped-hosts.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "shaped-hosts: $*" >&2
  exit 1
}
source "$(dirname "${BASH_SOURCE[0]}")/../../tests/system/lib/hosts.sh"
make_hosts "$1"
for name in "${!host_pid[@]}"; do shape "$name" "$2" "${3:-}"; done
printf '#!/bin/sh\nexec %s "$@"\n' "$rsh_network" >"$work/rsh"  # for launchers that take one word
chmod +x "$work/rsh"
echo "ready $work"
read -r _ || true
