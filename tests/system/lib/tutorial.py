#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""The tutorial's programs and commands.

tutorial.py PAGE --programs FOLDER   writes each program that changed, and prints its name
tutorial.py PAGE --run               runs each command, in the order of the page, and compares
                                     what it prints; three dots stand for anything
"""
import pathlib
import re
import subprocess
import sys

PROGRAM = re.compile(r"<!-- program: (\w+) -->\n```cpp\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```console\n(.*?)```", re.DOTALL)


def write_programs(text, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in PROGRAM.findall(text):
        path = folder / f"{name}.cpp"
        if not path.exists() or path.read_text() != source:
            path.write_text(source)
        print(name)


def expected_pattern(lines):
    return re.escape("\n".join(lines)).replace(re.escape("..."), ".*")


def run_commands(text):
    wrong = 0
    for block in COMMANDS.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            done = subprocess.run(["bash", "-c", command], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=600, check=False)
            printed = done.stdout.rstrip("\n")
            if done.returncode == 0 and re.fullmatch(expected_pattern(lines), printed, re.DOTALL):
                continue
            wrong += 1
            print(f"tutorial: {command}: status {done.returncode}, printed\n{printed}")
    return wrong


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    if sys.argv[2] == "--programs":
        write_programs(text, pathlib.Path(sys.argv[3]))
        return 0
    return run_commands(text)


if __name__ == "__main__":
    sys.exit(main())
