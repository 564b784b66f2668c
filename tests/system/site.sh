#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The documentation as a site: it builds without a warning, names of pages and headers are links, it
# needs no network; a page that is not listed and a link to nowhere are found. Without Doxygen it says
# that the reference is missing. Whoever an algorithm comes from can be cited.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v mkdocs >/dev/null || { echo "site: skipped: no mkdocs"; exit 77; }
evidence=("$work/out")

# A copy, since the test breaks it.
mkdir "$work/tree"
cp -r "$root/docs" "$root/mkdocs.yml" "$root"/*.md "$root/upwash" "$root/examples" "$work/tree"
mkdir -p "$work/tree/scripts" "$work/tree/interop/c"
cp -r "$root/scripts/site" "$root/scripts/lib" "$work/tree/scripts"
cp -r "$root/interop/c/include" "$work/tree/interop/c"
# Pages link to files in these, which the site lacks.
for folder in apps bench cmake data machines packaging tests tools; do
  ln -s "$root/$folder" "$work/tree/$folder"
done
cd "$work/tree"
site() { scripts/site "$work/site" >"$work/out" 2>&1; }

site || fail "it does not build"
shows 'href="streams.html"' <"$work/site/index.html" || fail "no link to a page that is named"
shows 'href="\.\./mpi.html"' <"$work/site/project/ROADMAP.html" || fail "no link from a page on top of the tree"
shows 'href="project/ROADMAP.html"' <"$work/site/index.html" || fail "no link to a page on top of the tree"
! shows 'upwash/simulator' <<<"$(grep -o 'href="[^"]*"' "$work/site/simulation.html")" || fail "a link to a file that the site lacks"
shows 'href="lab/index.html"' <"$work/site/index.html" || fail "the lab is not listed"
! grep -rlE '<(script|link|img)[^>]*(src|href)="https?:' "$work/site" --include='*.html' || fail "it needs a network"

if command -v doxygen >/dev/null; then
  page=$(sed -nE 's|.*href="(reference/all__reduce_8hpp.html)".*|\1|p' "$work/site/reference.html")
  [[ -n $page ]] || fail "the reference does not list all_reduce.hpp"
  shows 'with the operator and stores the result in element i' <"$work/site/$page" || fail "no docstring"
  shows 'href="upwash_8h.html#' <"$work/site/reference/globals_func.html" || fail "nothing of the header for C"
  shows 'href="reference/object__array_8hpp.html"' <"$work/site/objects.html" || fail "no link from a page to a header"
  ! ls "$work/site/reference" | shows -i detail || fail "the reference has what is not for programs"
  mkdir "$work/bin"
  ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/bin/python3"
  ln -s "$(command -v mkdocs)" "$work/bin/mkdocs"
  PATH=$work/bin site || fail "it does not build without doxygen"
  shows 'site: without the reference: no doxygen' <"$work/out" || fail "it does not say that the reference is missing"
  shows 'This copy of the site has no reference' <"$work/site/reference.html" || fail "nor does the page"
else
  echo "site: reference: skipped: no doxygen"
  shows 'This copy of the site has no reference' <"$work/site/reference.html" || fail "no word of a reference"
fi

# Sources of algorithms, as tables and `upwash schedule` name them: up to the year.
grep -rhoE '\.source = "[^"]*' upwash/collective upwash/neighborhood | sed 's/.*"//; s/; /\n/g' |
  sed -nE 's/^([A-Z].*(19|20)[0-9]{2}).*/\1/p; s/^several leaders: (.*)/\1/p' | sort -u >"$work/sources"
(($(wc -l <"$work/sources") >= 15)) || fail "sources: $(cat "$work/sources")"
while read -r source; do
  shows -F "$source" <docs/cite.md || fail "docs/cite.md lacks $source"
done <"$work/sources"

echo "# Apart" >docs/apart.md
! site || fail "a page that is not listed"
shows 'site: mkdocs.yml does not list apart.md' <"$work/out" || fail "another message"
rm docs/apart.md
echo "[nowhere](nowhere.md)" >>docs/hangs.md
! site || fail "a link to nowhere"
shows 'nowhere.md' <"$work/out" || fail "another message"
cp "$root/docs/hangs.md" docs/hangs.md
echo '[nowhere](tuning.md#of-nothing)' >>docs/hangs.md
! site || fail "a link to a heading that is not there"
shows 'hangs.html: links to tuning.html#of-nothing, but nothing there is called of-nothing' <"$work/out" || fail "another message"
echo "site: ok"
