#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Man pages and shell completion that the command writes of itself. A checker or shell that is not
# installed is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
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
  "$upwash" "$command" --help | grep -oE '^  (-[A-Za-z],)?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' >"$work/options"
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

# completes WORDS... = EXPECTED: the last word may be the beginning of one
completes() {
  local words=()
  while [[ $1 != = ]]; do
    words+=("$1")
    shift
  done
  COMP_WORDS=("${words[@]}")
  COMP_CWORD=$((${#words[@]} - 1))
  _upwash || true  # compopt is for completions only
  [[ ${COMPREPLY[*]} == "$2" ]] || fail "bash: ${words[*]}: ${COMPREPLY[*]}"
}
source "$share/bash-completion/completions/upwash"
cd "$work"
rm -f "$work"/s* 2>/dev/null || true
completes upwash ru = run
completes upwash attach = attach-debugger
completes upwash run --pertu = --perturb
completes upwash bench --bind "" = "core none"
completes upwash manual --completion z = zsh
completes upwash run -n 4 --knob hang_ = "hang_report="
completes upwash info --level "" = "user tuner developer"
touch program_of_mine
completes upwash run -n 4 program_ = program_of_mine
for shell in bash zsh fish; do
  "$upwash" manual --completion "$shell" >"$work/$shell"
done
cmp "$work/bash" "$share/bash-completion/completions/upwash"
cmp "$work/zsh" "$share/zsh/site-functions/_upwash"
cmp "$work/fish" "$share/fish/vendor_completions.d/upwash.fish"
if command -v zsh >/dev/null; then
  zsh -n "$work/zsh" || fail "zsh: syntax"
else
  echo "manual: zsh: skipped: not installed"
fi
if command -v fish >/dev/null; then
  of_fish() { HOME=$work fish -c "source $work/fish; complete -C '$1'" | cut -f 1 | tr '\n' ' '; }
  [[ $(of_fish 'upwash ru') == "run " ]] || fail "fish: commands"
  [[ $(of_fish 'upwash bench --bind ') == "core none " ]] || fail "fish: values"
  [[ $(of_fish 'upwash run --pertu') == "--perturb " ]] || fail "fish: options"
else
  echo "manual: fish: skipped: not installed"
fi

refused "manual: nothing to do; give --into FOLDER or --completion SHELL" "$upwash" manual
"$upwash" manual --into /proc/none >"$work/out" 2>&1 && fail "a folder that cannot be made"
shows '^upwash: manual: cannot write /proc/none/man/man1/upwash.1: ' <"$work/out" || fail "$(cat "$work/out")"
echo "manual: ok"
