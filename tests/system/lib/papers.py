#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds docs/papers.md to its own legend: states are known, what is said to be shown names a
command, tests named exist, quick commands run and print the numbers that their rows quote.

usage: papers.py DOCUMENT BUILD [--times | --no-run]
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

STATES = {"done", "trend", "differs", "being built", "planned", "noted"}
SHOWN = {"done", "trend", "differs"}  # states that need a command
LIMIT_S = 120  # of a quick command: far above what it takes, so that a hang ends

# `upwash ...`, then "(long)" where it is too slow for this test, then -> `text that it prints`.
COMMAND = re.compile(r"`(upwash [^`]*)`(\s*\(long\))?((?:\s*(?:->|,)\s*`(?!upwash |ctest )[^`]*`)*)")
COMMAND_OF_ANY_KIND = re.compile(r"`(?:[A-Z_]+=\S+ )*(?:upwash |ctest -R |unit_tests |job_tests |bench/)")
CTEST = re.compile(r"`ctest -R ([^` ]+)")
AS_ROW = re.compile(r"[Aa]s ((?:table|figure|equation) [0-9.]*[0-9])")
GTEST = re.compile(r"`((?:unit|job)_tests) --gtest_filter='([^']+)'")


class Row:
    def __init__(self, document, number, work, line):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        self.work = work
        self.place = f"{document}:{number}: {cells[0]}"
        self.fits = len(cells) == 5
        if self.fits:
            self.item, self.what, self.shown_by, self.expected, self.state = cells

    def commands(self):
        """Each command, whether it is quick, and what it must print."""
        for command, long, prints in COMMAND.findall(self.shown_by):
            expected = re.findall(r"`([^`]*)`", prints) if "->" in prints else []
            yield command, not long, expected


def rows_of(path):
    head, work = False, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            work = line
        if line.startswith("| item |"):
            head = True
        elif not line.startswith("|"):
            head = False
        elif head and not line.startswith("|---"):
            yield Row(path.name, number, work, line)


def tests_of(build):
    listed = subprocess.run(["ctest", "--test-dir", str(build), "-N"], text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    return re.findall(r"Test +#\d+: (\S+)", listed)


def lists_some(build, program, chosen):
    listed = subprocess.run([build / "bin" / program, "--gtest_list_tests",
                             f"--gtest_filter={chosen}"], text=True, stdout=subprocess.PIPE)
    return listed.returncode == 0 and listed.stdout.strip() != ""


def named_tests(row, tests, build):
    for pattern in CTEST.findall(row.shown_by):
        if not any(re.search(pattern, test) for test in tests):
            yield f"{row.place}: ctest -R {pattern} names no test"
    for program, chosen in GTEST.findall(row.shown_by):
        if not lists_some(build, program, chosen):
            yield f"{row.place}: {program} has no test '{chosen}'"


def names_command(row, others):
    """Itself, or "as table 2.4" by a row of the same work that does."""
    if COMMAND_OF_ANY_KIND.search(row.shown_by):
        return True
    item = AS_ROW.search(row.shown_by)
    return item is not None and any(
        COMMAND_OF_ANY_KIND.search(other.shown_by) for other in others
        if other.fits and (other.work, other.item) == (row.work, item.group(1)))


def form(row, others):
    if not row.fits:
        yield f"{row.place}: a row has five cells"
    elif row.state not in STATES:
        yield f"{row.place}: '{row.state}' is no state; known are {', '.join(sorted(STATES))}"
    elif row.shown_by.count("->") != sum(bool(prints) for _, _, prints in row.commands()):
        yield f"{row.place}: an arrow stands behind a command, or behind its (long)"
    elif row.state in SHOWN and not names_command(row, others):
        yield f"{row.place}: {row.state}, but names no command"


def run(command, build, folder):
    words = shlex.split(command)
    try:
        return subprocess.run(words, cwd=folder, text=True, timeout=LIMIT_S, env=environment(build),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, "no end", f"still running after {LIMIT_S} s")


def environment(build):
    """The caller's, without settings that change what commands print, and with what was built."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("UPWASH_")}
    mine["PATH"] = f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"
    mine["UPWASH_CONFIG"] = ""
    mine["UPWASH_TUNING"] = "none"
    return mine


def in_one_line(text):
    return re.sub(r"\s+", " ", text)


def run_all(rows, build, root, times):
    """Each quick command once, however many rows name it."""
    wanted = {}
    for row in rows:
        if row.state in SHOWN or row.state == "being built":
            for command, quick, expected in row.commands():
                if quick:
                    wanted.setdefault(command, []).extend((row.place, text) for text in expected)
                    wanted[command].append((row.place, ""))
    for command, expected in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(root / "data", pathlib.Path(folder) / "data")
            begin = time.monotonic()
            seen = run(command, build, folder)
            if times:
                print(f"{time.monotonic() - begin:7.2f} s  {command}", flush=True)
        if seen.returncode != 0:
            yield f"{expected[0][0]}: '{command}' ended with {seen.returncode}: {seen.stdout[-300:]}"
            continue
        printed = in_one_line(seen.stdout)
        for place, text in expected:
            if in_one_line(text) not in printed:
                yield f"{place}: '{command}' does not print '{text}' but: {seen.stdout[-600:]}"


def main():
    document, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    rows = list(rows_of(document))
    if not rows:
        sys.exit(f"{document}: no rows")
    wrong = [text for row in rows for text in form(row, rows)]
    rows = [row for row in rows if row.fits]
    tests = tests_of(build)
    wrong += [text for row in rows for text in named_tests(row, tests, build)]
    if "--no-run" not in sys.argv:
        root = document.resolve().parents[1]
        wrong += run_all(rows, build, root, "--times" in sys.argv)
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
