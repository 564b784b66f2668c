# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starting jobs and ending them: by upwash run, and from within Python."""

import os
import threading
import time

import numpy as np
import pytest

import upwash

ATTACHED = """
import numpy as np
import upwash
with upwash.attach() as job:
    assert upwash.attach() is job
    total = np.zeros(1, int)
    job.world.Allreduce(np.array([job.rank]), total)
    print(f"rank {job.rank} of {job.size}: {total[0]}", flush=True)
assert job.ended
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_attached_programs(launch, ranks):
    lines = sorted(launch(ATTACHED, "-n", str(ranks)).stdout.splitlines())
    assert lines == [f"rank {r} of {ranks}: {sum(range(ranks))}" for r in range(ranks)]


def test_attached_until_the_interpreter_ends(launch):
    program = """
import numpy as np, upwash
job = upwash.attach()
region = job.world.allocate(10)
kept = region.local
job.world.Irecv(np.zeros(1), job.rank, 1)
request = job.world.Iallreduce(np.ones(1), np.zeros(1))
print("end")
"""
    done = launch(program, "-n", "3")
    assert done.stdout == "end\n" * 3 and done.stderr == ""


def test_arrays_of_regions_after_the_block(launch):
    program = """
import upwash
with upwash.attach() as job:
    region = job.world.allocate(4)
    array = region.local
    array[:] = job.rank
assert array.tolist() == [float(array[0])] * 4
print("fine")
"""
    assert launch(program, "-n", "2").stdout == "fine\n" * 2


RUN = """
import upwash
def main(job):
    total = job.world.allreduce(job.rank)
    return (job.rank, total)
results = upwash.run(main)
print(sorted(results))
"""


def test_run_under_a_launcher(launch):
    assert sorted(launch(RUN, "-n", "2").stdout.splitlines()) == ["[(0, 1)]", "[(1, 1)]"]
    assert launch(RUN, "-n", "4", "--conduit", "sim").stdout == \
        "[(0, 6), (1, 6), (2, 6), (3, 6)]\n"
    virtual = launch(RUN, "-n", "4", "--ranks-per-process", "2").stdout
    assert sorted(virtual.splitlines()) == ["[(0, 6), (1, 6)]", "[(2, 6), (3, 6)]"]


FAILING = {
    "in the block": "with upwash.attach() as job:\n    fail(job)\n",
    "without a block": "job = upwash.attach()\nfail(job)\n",
    "in run": "upwash.run(fail)\n",
}


@pytest.mark.parametrize("where", FAILING)
@pytest.mark.parametrize("options", [["-n", "3"], ["-n", "3", "--conduit", "sim"],
                                     ["-n", "4", "--ranks-per-process", "2"]], ids=str)
def test_an_exception_ends_the_job_with_its_traceback(launch, where, options):
    if where != "in run" and len(options) > 2:
        pytest.skip("attach is for processes of one rank")
    program = f"""
import upwash
def fail(job):
    if job.rank == 1:
        raise ValueError("no such luck")
    job.world.Barrier()
    job.world.Recv(bytearray(1))
{FAILING[where]}"""
    done = launch(program, *options, check=False)
    assert done.returncode == 1, done
    assert "Traceback" in done.stderr and 'raise ValueError("no such luck")' in done.stderr
    assert "upwash: rank 1: ValueError: no such luck; job ended" in done.stderr.splitlines()


def test_statuses_of_exits(launch):
    program = """
import sys, upwash
with upwash.attach() as job:
    if job.rank == 1:
        sys.exit(7)
    job.world.Barrier()
"""
    done = launch(program, "-n", "2", check=False)
    assert done.returncode == 7 and "upwash: rank 1: sys.exit(7); job ended" in done.stderr
    program = """
import upwash
job = upwash.attach()
if job.rank == 0:
    job.abort(9, "it is enough")
job.world.Barrier()
"""
    done = launch(program, "-n", "2", check=False)
    assert done.returncode == 9 and done.stderr == "upwash: rank 0: it is enough; job ended\n"


def test_attach_refuses_ranks_that_share_a_process(launch):
    done = launch("import upwash\nupwash.attach()\n", "-n", "2", "--conduit", "sim", check=False)
    assert done.returncode != 0 and "one rank a process" in done.stderr and "upwash.run(function)" in done.stderr


def test_hanging_jobs_name_the_line_in_python(launch, monkeypatch):
    program = """
import upwash
with upwash.attach() as job:
    if job.rank == 0:
        job.world.Barrier()  # line 5
    else:
        job.world.Recv(bytearray(1), 0, 4)  # line 7
"""
    program = "# one more line" + program
    monkeypatch.setenv("UPWASH_HANG_REPORT", "1s")
    done = launch(program, "-n", "2", timeout="3s", check=False)
    assert "program.py:5" in done.stderr and "program.py:7" in done.stderr, done.stderr


def test_results_by_rank(everywhere):
    assert everywhere(lambda job: job.rank * 10) == [10 * r for r in range(everywhere.ranks)]
    assert everywhere(lambda job: np.arange(job.rank + 1))[-1].tolist() == \
        list(range(everywhere.ranks))


def test_arguments_and_machines():
    def body(job, more):
        job.compute(1e-3)
        job.world.Barrier()
        return job.now() + more

    first = upwash.run(body, ranks=4, conduit="sim", machine="edr", args=(1.0,))
    assert all(1.001 < time < 1.002 for time in first)
    assert first == upwash.run(body, ranks=4, conduit="sim", machine="edr", args=(1.0,))
    assert "UPWASH_MACHINE" not in os.environ and "UPWASH_RANKS" not in os.environ


class Odd(Exception):
    """Of this module, with two arguments."""


@pytest.mark.parametrize("conduit", ["shm", "sim"])
def test_what_a_rank_raises_is_raised_here(conduit, capfd):
    def body(job):
        if job.rank == 1:
            raise Odd("a", 2)
        job.world.Barrier()

    for _ in range(2):  # and the process can go on
        with pytest.raises(Odd) as raised:
            upwash.run(body, ranks=3, conduit=conduit)
        assert raised.value.args == ("a", 2)
    assert upwash.run(lambda job: job.size, ranks=2, conduit=conduit) == [2, 2]
    capfd.readouterr()


def test_a_rank_that_dies(capfd):
    def body(job):
        if job.rank == 1:
            os._exit(3)
        job.world.Barrier()

    with pytest.raises(upwash.Error, match="ended before rank"):
        upwash.run(body, ranks=2)
    assert "rank 1" in capfd.readouterr().err


def test_a_deadlock_on_a_simulated_machine_is_named(capfd):
    def body(job):
        job.world.Recv(bytearray(1), 0, 5)

    with pytest.raises(upwash.Error, match="the job failed"):
        upwash.run(body, ranks=2, conduit="sim")
    assert "deadlock" in capfd.readouterr().err


def test_a_job_that_takes_too_long():
    start = time.monotonic()
    with pytest.raises(TimeoutError, match="longer than 0.5 s"):
        upwash.run(lambda job: time.sleep(60), ranks=2, timeout=0.5)
    assert time.monotonic() - start < 20


def test_one_thread_at_a_time():
    def body(job):
        world = job.world
        seen = []

        def other():
            while not seen:
                time.sleep(0.001)
                try:
                    world.Iprobe()
                except upwash.ArgumentError as refused:
                    seen.append(str(refused))

        thread = threading.Thread(target=other)
        if job.rank == 0:
            thread.start()
            # The other thread runs, since the wait gives Python's lock on.
            while not seen:
                try:
                    world.Recv(bytearray(1), 1)
                    break
                except upwash.ArgumentError:
                    pass
            thread.join(0.01)
            seen.append("")
            thread.join()
        else:
            time.sleep(0.3)
            world.Send(b"x", 0)
        return seen[0] if seen else ""

    result = upwash.run(body, ranks=2, timeout=60)[0]
    assert "another thread is in Recv: one thread at a time" in result


def test_ranks_of_a_simulated_machine_are_threads():
    """Each has a stack, an exception state and thread-local variables of its own."""
    local = threading.local()

    def deep(job, depth):
        if depth == 0:
            job.world.Barrier()
            return 0
        return 1 + deep(job, depth - 1)

    def body(job):
        local.rank = job.rank
        name = threading.current_thread().name
        try:
            raise ValueError(job.rank)
        except ValueError as raised:
            job.world.Barrier()
            with pytest.raises(KeyError):
                raise KeyError
            assert raised.args == (job.rank,)
        assert deep(job, 500) == 500
        job.world.Barrier()
        return (local.rank, name)

    assert upwash.run(body, ranks=5, conduit="sim") == [(r, f"rank {r}") for r in range(5)]


def test_many_simulated_ranks():
    def body(job):
        total = np.zeros(1, int)
        job.world.Allreduce(np.array([1]), total)
        return int(total[0])

    assert upwash.run(body, ranks=256, conduit="sim") == [256] * 256
