#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The command itself: what info prints, and that bad input is one clear line and status 2.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
export UPWASH_CONFIG=

refuses() { refused "$1" "$upwash" "${@:2}"; }

refuses "A subcommand is required (see upwash --help)"
refuses "unknown command inof; did you mean info? (upwash --help lists all)" inof
refuses "unknown command something (upwash --help lists all)" something
refuses "The following argument was not expected: --jsn (see upwash --help)" info --jsn
refuses "The following argument was not expected: extra (see upwash --help)" info extra
refuses "--level requires --knobs (see upwash --help)" info --level user
refuses "--level: all not in {user,tuner,developer} (see upwash --help)" info --knobs --level all
UPWASH_LOGG=info refuses \
  "unknown variable UPWASH_LOGG; did you mean UPWASH_LOG? (upwash info --knobs lists all)" \
  info --knobs
UPWASH_LOG=loud refuses \
  'UPWASH_LOG: "loud" is not one of trace|debug|info|warning|error|off' info --knobs

UPWASH_LOGG=info refuses \
  "unknown variable UPWASH_LOGG; did you mean UPWASH_LOG? (upwash info --knobs lists all)" info
"$upwash" run --help | shows 'program \[arguments' || fail "run --help does not name the program"
[[ $("$upwash" run -np 2 echo a) == $'a\na' ]] || fail "run -np"
[[ $("$upwash" run -n 2 true 2>&1) == "upwash: none of the 2 processes has joined the job: 'true' \
calls neither upwash::run nor upwash::attach, so each ran by itself" ]] || fail "run of a stranger"
[[ -z $("$upwash" run -n 1 true 2>&1) ]] || fail "run of one stranger"
# The launcher takes descriptors as it needs them.
(ulimit -Sn 40 && "$upwash" run -n 30 true) 2>/dev/null || fail "many ranks, few descriptors"

[[ $("$upwash" --version) =~ ^upwash\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "--version"
"$upwash" --help | shows "info" || fail "--help does not list info"

python3 - "$upwash" <<'PYTHON' || fail "info --json"
import json, subprocess, sys
def info(*arguments):
    return json.loads(subprocess.run([sys.argv[1], "info", "--json", *arguments], check=True,
                                     capture_output=True, text=True).stdout)
facts = info()
assert facts["machine"]["usable_cores"] >= 1, facts
assert facts["machine"]["memory_bytes"] > 0, facts
assert facts["conduits"]["shm"]["any_peer"]["direct_access"] is True, facts
assert facts["conduits"]["sim"]["virtual_time"] is True, facts
assert facts["conduits"]["loopback"]["any_peer"]["medium_payload_bytes"] == 512, facts
assert facts["limits"]["process_vm_readv"] in ("allowed", "refused"), facts
log = [row for row in info("--knobs") if row["name"] == "log"][0]
assert log["value"] == "warning" and log["source"] == "default", log
assert len(info("--knobs", "--level", "developer")) >= len(info("--knobs"))
PYTHON

UPWASH_LOG=info "$upwash" info --knobs | shows 'value from: environment' || fail "source"
"$upwash" info | shows 'usable cores' || fail "info as text"
# The program may be set off by "--"; one behind its name is its own.
for words in "-n 2 echo -n -- a" "-n 2 -- echo -n -- a" "--ranks=2 --prefix -- echo -n -- a" \
  "-n2 --knob log=info -- echo -n -- a"; do
  # shellcheck disable=SC2086
  [[ $("$upwash" run $words) =~ ^(\[[01]\] )?--\ a(\[[01]\] )?--\ a$ ]] || fail "run $words"
done
refuses "run: no program to start (upwash run -n N program ...)" run -n 2 --
refuses "run: unknown option -x (see upwash run --help)" run -n 2 -- -x
echo "command: works"
