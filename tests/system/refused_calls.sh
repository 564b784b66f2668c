#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Calls that must not compile say why in a sentence: containers that are gone before the call is
# complete, items that cannot travel, outputs that cannot be written.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

cat >"$work/all.hpp" <<'HEADER'
#include <list>
#include <string>
#include <vector>

#include "upwash/upwash.hpp"
HEADER
cat >"$work/calls.cpp" <<'SOURCE'
using namespace upwash;
void call(const team& t, std::vector<double>& v, const std::vector<double>& c, std::vector<int>& n,
          std::vector<std::string>& texts, std::list<int>& l, double* p, double x) {
  static_cast<void>(sizeof(t) + sizeof(v) + sizeof(c) + sizeof(n) + sizeof(texts) + sizeof(l));
  static_cast<void>(sizeof(p) + sizeof(x));
  CALL;
}
SOURCE

flags=(-std=c++20 "-I$root")
"${CXX:-g++}" "${flags[@]}" -x c++-header "$work/all.hpp" -o "$work/all.hpp.gch"

# compiles CALL, into $work/said
compiles() {
  "${CXX:-g++}" "${flags[@]}" -fsyntax-only "-DCALL=$1" -include "$work/all.hpp" \
    "$work/calls.cpp" >"$work/said" 2>&1
}
# refused CALL SENTENCE
refused() {
  ! compiles "$1" || fail "$1 compiles"
  grep -q -- "$2" "$work/said" || fail "$1: $(cat "$work/said")"
}

compiles 'all_gather(t, c, v).wait(); x = all_reduce<sum>(t, blocking, x); send(t, 1, 2, c).wait()' ||
  fail "$(cat "$work/said")"
temporary='a temporary is gone before'
refused 'all_gather(t, std::vector<double>(3), v).wait()' "$temporary"
refused 'all_gather(t, std::vector<double>(3), std::span(v)).wait()' "$temporary"
refused 'all_reduce<sum>(t, persist, c, std::vector<double>(3))' "$temporary"
refused 'send(t, 1, 2, 5.0).wait()' "$temporary"
refused 'receive(t, 1, 2, std::vector<double>(3)).wait()' "$temporary"
counts='std::vector<std::uint64_t>(3)'
compiles "all_gather_v(t, blocking, c, v, $counts)" || fail "$(cat "$work/said")"
refused "all_gather_v(t, c, v, $counts).wait()" "$temporary"
refused "scatter_v(t, persist, 0, c, $counts, v)" "$temporary"
refused 'all_gather(t, blocking, c, std::vector<double>(3))' 'the output is a temporary'
refused 'all_reduce<sum>(t, v, c).wait()' 'the output is const'
refused 'receive(t, 1, 2, c).wait()' 'the output is const'
refused 'broadcast(t, blocking, 0, texts)' 'items must be trivially copyable'
refused 'send(t, 1, 2, texts).wait()' 'items must be trivially copyable'
refused 'all_gather(t, blocking, l, n)' 'items must lie one behind the other'
refused 'all_gather(t, blocking, n, v)' 'must be of one type'
refused 'v = all_reduce<sum>(t, blocking, v)' 'one value must be trivially copyable'
refused 'all_reduce<sum>(t, blocking, std::span(v))' 'a view is no value'
refused 'p = all_reduce<most>(t, blocking, p)' 'a pointer means nothing to other ranks'
refused 'all_to_all_v(t, blocking, v, v)' 'counts are whole numbers'
