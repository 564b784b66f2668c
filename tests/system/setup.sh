#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# scripts/setup with a stand-in for the package tools: nothing missing, missing without root,
# missing with root.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
chmod 755 "$work"

# The package query knows all packages it is asked for but those in $work/missing.
cat >"$work/dpkg-query" <<'FAKE'
#!/usr/bin/env bash
shift 2
for package; do
  grep -qxF -- "$package" "$(dirname "$0")/missing" || echo "$package installed"
done
FAKE
cat >"$work/apt-get" <<'FAKE'
#!/usr/bin/env bash
echo "$*" >>"$(dirname "$0")/apt-log"
FAKE
chmod 755 "$work/dpkg-query" "$work/apt-get"
cp "$root/scripts/setup" "$work/setup"
export PATH=$work:$PATH

: >"$work/missing"
[[ -z $("$work/setup" 2>&1) ]] || fail "says something when nothing is missing"
[[ ! -e $work/apt-log ]] || fail "installs when nothing is missing"

echo libucx-dev >"$work/missing"
[[ -z $("$work/setup" 2>&1) && ! -e $work/apt-log ]] || fail "wants what only clusters have"
if ((EUID == 0)); then
  "$work/setup" --clusters >/dev/null
  grep -q '^install .* libucx-dev$' "$work/apt-log" || fail "--clusters: $(cat "$work/apt-log")"
  rm "$work/apt-log"
fi
status=0
"$work/setup" --cluster >/dev/null 2>&1 || status=$?
[[ $status == 2 && ! -e $work/apt-log ]] || fail "takes a wrong option"

printf 'libfmt-dev\nlibcereal-dev\n' >"$work/missing"
if ((EUID == 0)); then
  "$work/setup" >/dev/null
  grep -q '^update' "$work/apt-log" || fail "does not update before it installs"
  grep -q '^install .* libfmt-dev libcereal-dev$' "$work/apt-log" || fail "$(cat "$work/apt-log")"
  as_user=(setpriv --reuid=65534 --clear-groups)
else
  as_user=()
fi
status=0
seen=$("${as_user[@]}" "$work/setup" 2>&1) || status=$?
[[ $status == 1 ]] || fail "without root the status is $status"
expected="setup: missing packages: libfmt-dev libcereal-dev
setup: install them with: sudo apt-get install --no-install-recommends libfmt-dev libcereal-dev"
[[ $seen == "$expected" ]] || fail "without root: $seen"
echo "setup: works"
