# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that are set up once: each start takes what the buffers hold then."""

import gc

import numpy as np
import pytest

import upwash

CALLS = ["Bcast", "Allgather", "Gather", "Scatter", "Alltoall", "Allreduce", "Reduce", "Scan", "Exscan",
         "Reduce_scatter_block", "Allgatherv", "Alltoallv", "Reduce_scatter"]


def arguments(name, world, count, in_place):
    """Buffers of a call, and its arguments."""
    size, root = world.size, world.size - 1
    whole = name in ("Scatter", "Alltoall", "Reduce_scatter_block", "Alltoallv", "Reduce_scatter")
    sent = np.zeros(count * size if whole else count)
    wide = name in ("Allgather", "Gather", "Alltoall", "Allgatherv", "Alltoallv") or (
        in_place and name == "Reduce_scatter_block")
    received = sent if name == "Bcast" else np.zeros(count * size if wide else count)
    first = upwash.IN_PLACE if in_place else sent
    if name == "Bcast":
        return sent, received, (sent, root)
    if name in ("Gather", "Scatter", "Reduce"):
        middle = () if name != "Reduce" else (upwash.SUM,)
        at_root = world.rank == root
        return sent, received, (first if at_root or name != "Scatter" else None,
                                received if at_root or name == "Scatter" else None, *middle, root)
    counts = [count] * size
    return sent, received, {"Allgatherv": (sent, [received, counts]),
                            "Alltoallv": ([sent, counts], [received, counts]),
                            "Reduce_scatter": (sent, received, counts)}.get(name, (first, received))


def test_starts_are_as_calls(everywhere):
    def body(job):
        world = job.world
        for name in CALLS:
            for in_place in (False, True):
                if in_place and (name in ("Bcast", "Scatter") or name.endswith("v") or
                                 name in ("Reduce_scatter", "Exscan", "Gather", "Reduce")):
                    continue
                sent, received, given = arguments(name, world, 6, in_place)
                twin_sent, twin_received, twin = arguments(name, world, 6, in_place)
                again = getattr(world, name + "_init")(*given)
                for turn in range(4):
                    for one in (sent, twin_sent):
                        one[:] = np.arange(len(one)) + 10 * world.rank + turn
                    for one in (received, twin_received):
                        one[:] = np.arange(len(one)) - 5 * world.rank + turn
                    getattr(world, name)(*twin)
                    again.run() if turn % 2 else again.start().wait()
                    np.testing.assert_array_equal(received, twin_received, err_msg=f"{name} {turn}")
                assert repr(again) == f"Persistent({name}_init)"
        every = world.Barrier_init()
        for _ in range(3):
            every.run()

    everywhere(body)


def test_in_place_at_the_root(everywhere):
    def body(job):
        world = job.world
        total = np.zeros(3)
        own = np.full(3, world.rank + 1.0)
        again = world.Reduce_init(upwash.IN_PLACE if world.rank == 0 else own, total)
        all_ranks = np.zeros(2 * world.size)
        mine = all_ranks[:2] if world.rank == 0 else np.full(2, float(world.rank))
        together = world.Gather_init(upwash.IN_PLACE if world.rank == 0 else mine, all_ranks)
        for turn in range(3):
            if world.rank == 0:
                total[:], mine[:] = 1.0 + turn, 50 + turn
            again.run()
            together.run()
            if world.rank == 0:
                assert (total == turn + world.size * (world.size + 1) / 2).all()
                assert (all_ranks[:2] == 50 + turn).all()
                assert (all_ranks[2:] == np.repeat(np.arange(1, world.size), 2)).all()

    everywhere(body)


def test_what_is_forgotten_goes_on(everywhere):
    def body(job):
        world = job.world
        for turn in range(20):
            total = np.empty(1000)
            under_way = world.Allreduce_init(np.full(1000, float(turn)), total).start()
            gc.collect()
            if turn % 2:
                under_way.wait()
                assert (total == turn * world.size).all()
            del under_way, total
        again = world.Barrier_init()
        again.run()
        again.free()
        again.free()
        with pytest.raises(upwash.ArgumentError, match="Barrier_init at rank .: it was freed"):
            again.start()
        kept = world.Barrier_init()
        kept.start()
        return 1

    assert everywhere(body) == [1] * everywhere.ranks


def test_a_start_before_the_end_of_the_last():
    def body(job):
        world = job.world
        total = np.zeros(4)
        again = world.Allreduce_init(np.ones(4), total)
        if job.rank == 0:
            under_way = again.start()
            with pytest.raises(upwash.ArgumentError, match="the start before is not complete"):
                again.start()
            world.Send(b"go", 1)
            under_way.wait()
        else:
            world.Recv(bytearray(2), 0)
            again.run()
        return total[0], again

    (first, again), _ = upwash.run(body, ranks=2, conduit="sim")
    assert first == 2
    with pytest.raises(upwash.ArgumentError, match="the job has ended"):
        again.start()
