# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Worlds that test bodies run on, and how whole programs are started."""

import os
import pathlib
import subprocess
import sys

import pytest

import upwash
from upwash import command

WORLDS = [("shm", 1), ("shm", 2), ("shm", 4), ("sim", 1), ("sim", 4), ("sim", 9)]


@pytest.fixture(params=WORLDS, ids=lambda world: f"{world[0]}_{world[1]}")
def everywhere(request):
    """Runs a body on all ranks of a world; returns what it returned, by rank."""
    conduit, ranks = request.param

    def run(body, **knobs):
        more = {"timeout": 120} if conduit == "shm" else {}
        return upwash.run(body, ranks=ranks, conduit=conduit, **more, **knobs)

    run.ranks = ranks
    return run


@pytest.fixture
def launch(tmp_path):
    """Runs a Python program, with options by `upwash run`; returns its CompletedProcess."""

    def start(program, *options, timeout="120s", check=True):
        path = tmp_path / "program.py"
        path.write_text(program)
        words = [sys.executable, str(path)]
        if options:
            words = [command.find(), "run", "--timeout", timeout, *options, *words]
        environment = {**os.environ,
                       "PYTHONPATH": str(pathlib.Path(upwash.__file__).absolute().parents[1])}
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return start
