# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""The `upwash` command, whose JSON the objects of this package are made of."""

import json
import os
import pathlib
import shutil
import subprocess

from .errors import ArgumentError, Error


def find():
    """Path of the command: beside this package's installation or build, else by PATH."""
    for folder in pathlib.Path(__file__).absolute().parents[2:5]:
        command = folder / "bin" / "upwash"
        if os.access(command, os.X_OK):
            return str(command)
    found = shutil.which("upwash")
    if found is None:
        raise Error("no command upwash beside this package or in PATH: install upwash-tools")
    return found


def text_of(*words):
    """What the command prints. What it says when it fails is raised."""
    done = subprocess.run([find(), *words], capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.strip().removeprefix("upwash: ")
    raise ArgumentError(said) if done.returncode == 2 else Error(said)


def lines_of(*words):
    """The JSON objects that it prints, one a line."""
    return [json.loads(line) for line in text_of(*words).splitlines() if line]


def options(given):
    """Keywords as options: `ranks_per_node=2` is --ranks-per-node 2, True a flag; None is left out.
    A list gives the option several times."""
    words = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [option, str(each)]
    return words


def frame_of(rows):
    """A pandas frame; what is said by structures of its own is left out."""
    import pandas
    return pandas.DataFrame(rows)


def axes_of(ax):
    """The axes to draw on: `ax`, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot
    return matplotlib.pyplot.subplots()[1]
