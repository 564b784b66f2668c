# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Joining a job, and starting one from within Python."""

import atexit
import contextlib
import os
import sys
import traceback

from . import _upwash
from .errors import ArgumentError
from .processes import run_processes

_SIMULATED = ("sim", "loopback")


def attach():
    """Joins the job that `upwash run` or another launcher started this process for.

    Without a launcher: a job of one rank. Collective, blocking. The same job again while it is
    open. Returns a Job, which is left by `close`, at the end of a `with` block, or when the
    interpreter ends. An exception that nobody catches ends the whole job, with its traceback and
    status 1. Raises upwash.Error where the process has no place in a job, and for conduits whose
    ranks share a process: those need `upwash.run`.
    """
    known = getattr(sys.modules[__package__], "_attached", None)
    if known is not None and not known.ended:
        return known
    job = _upwash._attach()
    setattr(sys.modules[__package__], "_attached", job)
    _end_on_exceptions(job)
    atexit.register(job._finish_late)
    return job


def _end_on_exceptions(job):
    before = sys.excepthook
    process = os.getpid()

    def hook(kind, value, trace):
        before(kind, value, trace)
        if not job.ended and os.getpid() == process:
            _abort(job, 1, _line_of(value))

    sys.excepthook = hook


def _line_of(value):
    text = str(value).split("\n", 1)[0]
    return f"{type(value).__name__}: {text}" if text else type(value).__name__


def _abort(job, status, why):
    sys.stdout.flush()
    sys.stderr.flush()
    job.abort(status, why)


def _enter(job):
    return job


def _exit(job, kind, value, trace):
    """Leaves an attached job, or ends it where the block failed."""
    if job.ended:
        return False
    if kind is None or (kind is SystemExit and value.code in (None, 0)):
        job.close()
        return False
    if kind is SystemExit:
        status = value.code if isinstance(value.code, int) else 1
        if not isinstance(value.code, int):
            print(value.code, file=sys.stderr)
        _abort(job, status, f"sys.exit({value.code!r})")
    traceback.print_exception(kind, value, trace)
    _abort(job, 1, _line_of(value))
    return False


_upwash.Job.__enter__ = _enter
_upwash.Job.__exit__ = _exit


def run(function, ranks=None, conduit=None, *, args=(), timeout=None, **knobs):
    """Runs `function(job, *args)` once for every rank of a job, and returns what they returned.

    Without `ranks` and `conduit`: for the ranks that the launcher gives this process (`upwash run`),
    or for one rank; the result is a list of what this process's ranks returned.

    With `ranks`, the job is started here. `conduit="shm"`, which is meant where none is named: each
    rank is a process, forked from this one, so that `function` may be any function; what it returns
    is pickled. `timeout`: seconds after which such a job is ended. `conduit="sim"`: all ranks are
    threads of this process that take turns, on a simulated machine, in virtual time (`machine="edr"`,
    `seed=7`). They share the program's variables. Returns a list, by rank.

    Other keywords are knobs, as `upwash info --knobs` lists them: `run(f, ranks=8, checked=1)`.

    What a rank raises ends the job and is raised here.
    """
    if ranks is None and conduit is None:
        with _environment({"UPWASH_STACK_BYTES": os.environ.get("UPWASH_STACK_BYTES", "1m"),
                           **_variables(knobs)}):
            return _run_given(function, args)
    ranks = 1 if ranks is None else int(ranks)
    if ranks < 1:
        raise ArgumentError(f"run: ranks is {ranks}: expected 1 and up")
    conduit = conduit or "shm"
    if conduit not in _SIMULATED:
        return run_processes(function, ranks, {"UPWASH_CONDUIT": conduit, **_variables(knobs)}, args,
                             timeout)
    if timeout is not None:
        raise ArgumentError("run: timeout is for ranks that are processes")
    variables = {"UPWASH_CONDUIT": conduit, "UPWASH_RANKS": str(ranks), "UPWASH_STACK_BYTES": "1m",
                 **_variables(knobs)}
    with _environment(variables):
        results = _upwash._run_ranks(lambda job: function(job, *args), lambda rank, raised: None)
    return [results[rank] for rank in range(ranks)]


def _run_given(function, args):
    def tell(rank, raised):
        sys.stdout.flush()
        traceback.print_exception(type(raised), raised, raised.__traceback__)
        sys.stderr.flush()

    results = _upwash._run_ranks(lambda job: function(job, *args), tell)
    return [results[rank] for rank in sorted(results)]


def _variables(knobs):
    def text(value):
        return str(int(value)) if isinstance(value, bool) else str(value)
    return {f"UPWASH_{name.upper()}": text(value) for name, value in knobs.items()}


@contextlib.contextmanager
def _environment(variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
