#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The documentation as a site: it builds without a warning, names of pages are links, it needs no
# network; a page that is not listed and a link to nowhere are found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v mkdocs >/dev/null || { echo "site: skipped: no mkdocs"; exit 77; }
evidence=("$work/out")

# A copy, since the test breaks it.
mkdir "$work/tree"
cp -r "$root/docs" "$root/mkdocs.yml" "$root"/*.md "$work/tree"
mkdir "$work/tree/scripts"
cp "$root/scripts/site" "$work/tree/scripts"
cd "$work/tree"
site() { scripts/site "$work/site" >"$work/out" 2>&1; }

site || fail "it does not build"
shows 'href="streams.html"' <"$work/site/index.html" || fail "no link to a page that is named"
shows 'href="\.\./mpi.html"' <"$work/site/project/ROADMAP.html" || fail "no link from a page on top of the tree"
! grep -rlE '<(script|link|img)[^>]*(src|href)="https?:' "$work/site" --include='*.html' || fail "it needs a network"

echo "# Apart" >docs/apart.md
! site || fail "a page that is not listed"
shows 'site: mkdocs.yml does not list apart.md' <"$work/out" || fail "another message"
rm docs/apart.md
echo "[nowhere](nowhere.md)" >>docs/hangs.md
! site || fail "a link to nowhere"
shows 'nowhere.md' <"$work/out" || fail "another message"
echo "site: ok"
