#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Man pages and shell completion that the command writes of itself: completion at the prompts of bash,
# zsh and fish. A checker or shell that is not installed is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export UPWASH_CONFIG=
share=$work/share
evidence=()
"$upwash" manual --into "$share"

# Each command that --help names has its page, and each option its line there.
mapfile -t commands < <("$upwash" --help | sed -nE '/^Subcommands:/,$ s/^  ([a-z-]+) .*/\1/p')
((${#commands[@]} >= 10)) || fail "commands: ${commands[*]}"
for command in "${commands[@]}"; do
  page=$share/man/man1/upwash-$command.1
  [[ -s $page ]] || fail "no page of $command"
  [[ $command == cc || $command == cxx ]] && continue  # their help is the compiler's
  "$upwash" "$command" --help | grep -oE '^  (-[A-Za-z],)?--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' >"$work/options"
  while read -r option; do
    grep -qF "\\fB${option//-/\\-}\\fR" "$page" || fail "$option of $command is not in its page"
  done <"$work/options"
done
grep -q 'UPWASH_CONDUIT' "$share/man/man1/upwash.1" || fail "no variables in the page on top"

if command -v mandoc >/dev/null; then
  # Pages have no date, so that equal sources give equal pages.
  mandoc -T lint -W warning "$share"/man/man1/*.1 >"$work/lint" || true
  ! shows -v 'missing date' <"$work/lint" || fail "mandoc: $(head -n 3 "$work/lint")"
else
  echo "manual: mandoc: skipped: not installed"
fi
if command -v groff >/dev/null; then
  said=$(groff -man -ww -z "$share"/man/man1/*.1 2>&1)
  [[ -z $said ]] || fail "groff: $said"
else
  echo "manual: groff: skipped: not installed"
fi

# completes LINE EXPECTED: what bash offers at the end of the line, and what it is asked to do besides.
completes() {
  COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' asked=
  _upwash
  [[ ${COMPREPLY[*]}$asked == "$2" ]] || fail "bash: $1: ${COMPREPLY[*]}$asked"
}
compopt() { asked+=" ($2)"; }
source "$share/bash-completion/completions/upwash"
mkdir "$work/here"
cd "$work/here"
touch program_of_mine data_file "a file"
completes "upwash ru" "run"
completes "upwash att" "attach-debugger"
completes "upwash run --pertu" "--perturb"
completes "upwash bench --bind " "core none"
completes "upwash manual --completion z" "zsh"
completes "upwash run -n 4 --knob hang_" "hang_report= (nospace)"
completes "upwash run --knob spin" ""
completes "upwash run --knob conduit=lo" "loopback"
completes "upwash run --knob=conduit=lo" "loopback"
completes "upwash info --level " "user tuner developer"
completes "upwash run -n 4 a" "a file (filenames)"
completes "upwash run -n 4 program_of_mine d" "data_file (filenames)"
completes "upwash run -n 4 program_of_mine --" " (filenames)"
completes "upwash run -n 4 -- --" " (filenames)"
completes "upwash run -n 4 program_of_mine --conduit " "a file data_file program_of_mine (filenames)"
completes "upwash schedule all_gather --algorithm k_p" "k_prefix"
completes "upwash schedule --algorithm k_p" ""
completes "upwash schedule neighbor_all_gather --scheme hal" "halving"
for shell in bash zsh fish; do
  "$upwash" manual --completion "$shell" >"$work/$shell"
done
cmp "$work/bash" "$share/bash-completion/completions/upwash"
cmp "$work/zsh" "$share/zsh/site-functions/_upwash"
cmp "$work/fish" "$share/fish/vendor_completions.d/upwash.fish"
if command -v zsh >/dev/null; then
  zsh -n "$work/zsh" || fail "zsh: syntax"
fi

# What a line becomes at the prompt of each shell; X tells whether there is a blank behind what was completed.
unset -f compopt
while IFS='|' read -r line words; do
  [[ -n $line ]] || continue
  printf '%s\n' "$line" >>"$work/lines"
  printf '%s\n' "$words" >>"$work/words"
done <<'LINES'
upwash run --conduit loopb\tX|<run><--conduit><loopback><X>
upwash run --conduit=loopb\tX|<run><--conduit=loopback><X>
upwash run -n 4 --knob hang_re\tX|<run><-n><4><--knob><hang_report=X>
upwash run --knob conduit=loopb\tX|<run><--knob><conduit=loopback><X>
upwash run -n 4 program_o\tX|<run><-n><4><program_of_mine><X>
upwash run -n 4 -- program_o\tX|<run><-n><4><--><program_of_mine><X>
upwash run -n 4 ./program_of_mine data_f\tX|<run><-n><4><./program_of_mine><data_file><X>
upwash run -n 4 ./program_of_mine --pertu\tX|<run><-n><4><./program_of_mine><--pertuX>
upwash run -n 4 ./program_of_mine --conduit loopb\tX|<run><-n><4><./program_of_mine><--conduit><loopbX>
upwash bench stream-hist\tX|<bench><stream-histogram><X>
upwash schedule all_gather_\tX|<schedule><all_gather_v><X>
upwash schedule all_gather --algorithm k_p\tX|<schedule><all_gather><--algorithm><k_prefix><X>
upwash schedule all_gather --algorithm rabens\tX|<schedule><all_gather><--algorithm><rabensX>
upwash simulate --schedule all_gather_\tX|<simulate><--schedule><all_gather_v><X>
LINES
for shell in bash zsh fish; do
  if ! command -v "$shell" >/dev/null; then
    echo "manual: $shell: skipped: not installed"
    continue
  fi
  python3 "$root/tests/system/lib/typed.py" "$shell" "$work/$shell" <"$work/lines" >"$work/typed" || fail "$shell: it cannot be typed at"
  diff "$work/words" "$work/typed" >"$work/differs" || fail "$shell: expected <, came >: $(cat "$work/differs")"
done

refused "manual: nothing to do; give --into FOLDER or --completion SHELL" "$upwash" manual
"$upwash" manual --into /proc/none >"$work/out" 2>&1 && fail "a folder that cannot be made"
shows '^upwash: cannot write /proc/none/man/man1/upwash.1: ' <"$work/out" || fail "$(cat "$work/out")"
echo "manual: ok"
