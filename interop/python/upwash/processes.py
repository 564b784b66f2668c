# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose ranks are processes, forked from this one."""

import os
import pickle
import selectors
import signal
import sys
import time
import traceback

from . import _upwash
from .errors import Error


def run_processes(function, ranks, variables, args, timeout):
    """As upwash.run: results by rank, or what the first rank raised that failed."""
    if os.environ.get("UPWASH_BOOT_CONTROL") or getattr(sys.modules[__package__], "_attached", None):
        raise Error("run: this process is a rank of a job already: call run(f) without ranks, or "
                    "start this job from a process of its own")
    sys.stdout.flush()
    sys.stderr.flush()
    job = f"python-{os.getpid()}-{time.monotonic_ns()}"
    children = [_fork(function, {"UPWASH_RANK": str(rank), "UPWASH_SIZE": str(ranks),
                                 "UPWASH_JOB_ID": job, **variables}, args)
                for rank in range(ranks)]
    try:
        answers = _collect(children, timeout)
    except BaseException:
        for pid, _ in children:
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        for pid, _ in children:
            _end(pid)
    return _results(answers)


def _fork(function, variables, args):
    """Starts a rank. Returns its process, and where its answer comes from."""
    come, go = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(go)
        return pid, come
    status = 1
    try:
        os.close(come)
        os.environ.update(variables)
        status = _be_rank(function, args, go)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _be_rank(function, args, go):
    job = None
    try:
        job = _upwash._attach()
        answer = _pickled(("returned", function(job, *args)))
        job.close()
        job._finish_late()
    except BaseException as raised:  # whatever it is, the starter shall have it
        text = "".join(traceback.format_exception(type(raised), raised, raised.__traceback__))
        _send(go, _pickled_failure(raised, text))
        if job is not None and not job.ended:
            job.abort(1, f"{type(raised).__name__}: {raised}".split("\n", 1)[0])
        return 1
    _send(go, answer)
    return 0


def _pickled(what):
    return pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)


def _pickled_failure(raised, text):
    try:
        made = _pickled(("raised", raised, text))
        pickle.loads(made)
        return made
    except Exception:  # such an exception stays where it is; its text goes
        return _pickled(("raised", Error(f"{type(raised).__name__}: {raised}"), text))


def _send(go, data):
    view = memoryview(data)
    while view:
        view = view[os.write(go, view):]
    os.close(go)


def _collect(children, timeout):
    """(rank, what it sent), in the order in which they ended."""
    end = None if timeout is None else time.monotonic() + timeout
    parts = {rank: bytearray() for rank in range(len(children))}
    order = []
    with selectors.DefaultSelector() as waiting:
        for rank, (_, come) in enumerate(children):
            waiting.register(come, selectors.EVENT_READ, rank)
        try:
            while waiting.get_map():
                ready = waiting.select(None if end is None else max(0, end - time.monotonic()))
                if not ready and end is not None and time.monotonic() >= end:
                    raise TimeoutError(f"run: the job takes longer than {timeout} s")
                for key, _ in ready:
                    data = os.read(key.fd, 1 << 16)
                    parts[key.data] += data
                    if not data:
                        waiting.unregister(key.fd)
                        os.close(key.fd)
                        order.append(key.data)
        finally:
            for key in list(waiting.get_map().values()):
                os.close(key.fd)
    return [(rank, bytes(parts[rank])) for rank in order]


def _end(pid):
    """Ends a child that may still be there, and takes its status."""
    done, _ = os.waitpid(pid, os.WNOHANG)
    if done == 0:
        deadline = time.monotonic() + 2
        while done == 0 and time.monotonic() < deadline:
            time.sleep(0.001)
            done, _ = os.waitpid(pid, os.WNOHANG)
    if done == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _results(answers):
    made = [None] * len(answers)
    dead = []
    for rank, data in answers:
        if not data:
            dead.append(rank)
            continue
        what = pickle.loads(data)
        if what[0] == "raised":
            what[1].add_note(f"At rank {rank}:\n{what[2]}") if hasattr(what[1], "add_note") else None
            raise what[1]
        made[rank] = what[1]
    if dead:
        raise Error(f"run: the job ended before rank {dead[0]} had a result; a line on standard "
                    f"error says why")
    return made
