# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of the tree share: the root, its files, how a check reports."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

SOURCE_SUFFIXES = {".cpp", ".hpp", ".c", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def parser(description):
    """Every check takes --root, so that the tests of the checks can point it at a small tree."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    return result


def files(root):
    """Paths relative to the root: tracked and new ones, or all outside build/ without git."""
    if (root / ".git").exists():
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
            check=True, capture_output=True, text=True).stdout
        names = [name for name in listing.split("\0") if name]
    else:
        names = [str(pathlib.Path(folder, name).relative_to(root))
                 for folder, _, leaves in os.walk(root) for name in leaves]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    return sorted(pathlib.Path(name) for name in names if (root / name).is_file())


def sources(root):
    return [path for path in files(root) if path.suffix in SOURCE_SUFFIXES]


def includes(root, path):
    """(line number, '<' or '"', name) of each include."""
    found = []
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1), match.group(2)))
    return found


def report(name, problems, remedy, summary):
    """Prints problems and how to mend them; returns the exit status."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{name}: {len(problems)} problem(s). {remedy}")
        return 1
    print(f"{name}: {summary}")
    return 0


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)
