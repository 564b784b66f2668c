#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python package: tests/python by pytest, against the build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
folder=$UPWASH_TEST_BUILD/lib/python
python=$(sed -n 's/^UPWASH_PYTHON:[A-Z]*=//p' "$UPWASH_TEST_BUILD/CMakeCache.txt")
if ! compgen -G "$folder/upwash/_upwash*.so" >/dev/null; then
  echo "python: not in this build"
  exit 77
fi
for module in pytest pandas matplotlib; do
  "$python" -c "import $module" 2>/dev/null || {
    echo "python: no $module for $python"
    exit 77
  }
done
export PYTHONPATH=$folder UPWASH_CONFIG= MPLCONFIGDIR=$work
"$python" -m pytest -q -p no:cacheprovider "$(dirname "${BASH_SOURCE[0]}")/../python" "$@"
