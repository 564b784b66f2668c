# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls that are wrong say what is wrong, with call, rank and values; nothing has begun."""

import numpy as np
import pytest

import upwash


def alone(body):
    return upwash.run(body, ranks=1, conduit="sim")


def test_types_and_counts_are_named():
    def body(job):
        world = job.world
        with pytest.raises(upwash.ArgumentError) as raised:
            world.Allreduce(np.zeros(2), np.zeros(2, "i4"))
        assert str(raised.value) == ("Allreduce at rank 0: sendbuf has dtype float64, and recvbuf "
                                     "has dtype int32: they must be the same")
        assert raised.value.kind == "argument" and isinstance(raised.value, ValueError)
        with pytest.raises(upwash.ArgumentError) as raised:
            world.Allreduce(np.zeros(2), np.zeros(3))
        assert str(raised.value) == ("Allreduce at rank 0: sendbuf has 2 elements, so recvbuf should "
                                     "have 2; it has 3")
        with pytest.raises(upwash.ArgumentError, match="BAND does not combine elements of dtype "
                                                       "float64 .recvbuf."):
            world.Allreduce(np.zeros(2), np.zeros(2), upwash.BAND)
        swapped = np.zeros(2, dtype=np.dtype("f8").newbyteorder())
        with pytest.raises(upwash.ArgumentError, match="byte order"):
            world.Allreduce(swapped, swapped.copy())
        with pytest.raises(upwash.ArgumentError, match="SUM does not combine .* float16"):
            world.Allreduce(np.zeros(2, "f2"), np.zeros(2, "f2"))

    alone(body)


def test_what_is_no_number_is_named():
    def body(job):
        world = job.world
        for counts, words in (([2.5], r"recvbuf: counts\[0\] is 2.5: expected a whole number"),
                              ([2 ** 63], "go beyond its 2 elements"), (2, "counts is 2: expected"),
                              ("2", "counts is '2': expected")):
            with pytest.raises(upwash.ArgumentError, match=f"Gatherv at rank 0: .*{words}"):
                world.Gatherv(np.zeros(2), [np.zeros(2), counts])
        region = world.allocate(4, "i8")
        for count in (-1, 1.5, 5):
            with pytest.raises(upwash.ArgumentError, match=f"get at rank 0: count is .*{count}|float"):
                region.get(0, count=count)
        for wrong in ("hello", None, [[1], [2, 3]], [2 ** 70]):
            with pytest.raises(upwash.ArgumentError, match="put at rank 0: values .* int64"):
                region.put(0, wrong)
        small = world.allocate(2, "u1")
        for wrong in (-1, 256):
            with pytest.raises(upwash.ArgumentError, match="numbers that dtype uint8 does not hold"):
                small.put(0, [wrong])
        small.put(0, [])
        with pytest.raises(upwash.ArgumentError, match="allocate at rank 0: shape is 2.5"):
            world.allocate(2.5)
        with pytest.raises(upwash.ArgumentError, match="world_rank at rank 0: no member 7"):
            world.world_rank(7)
        with pytest.raises(upwash.Error, match=r"a region has 2\^44 - 1 at most"):
            world.allocate(2 ** 63 - 1, "u1")

    alone(body)


def test_objects_that_were_made_of_nothing():
    def body(job):
        with pytest.raises(TypeError, match="Team: the object is not of a job"):
            upwash.Team.__new__(upwash.Team).Barrier()

    alone(body)


def test_memory_that_does_not_serve():
    def body(job):
        world = job.world
        with pytest.raises(upwash.ArgumentError, match="sendbuf is not C-contiguous .strides 16.*"
                                                       "ascontiguousarray"):
            world.Allreduce(np.zeros(4)[::2], np.zeros(2))
        with pytest.raises(upwash.ArgumentError, match="recvbuf is not C-contiguous"):
            world.Allreduce(np.zeros((2, 2)), np.zeros((2, 2)).T)
        frozen = np.zeros(2)
        frozen.flags.writeable = False
        with pytest.raises(upwash.ArgumentError, match="recvbuf is read-only"):
            world.Allreduce(np.zeros(2), frozen)
        with pytest.raises(upwash.ArgumentError, match="buf is read-only"):
            world.Recv(b"abc")
        with pytest.raises(upwash.ArgumentError, match="Python objects.*lower case"):
            world.Bcast(np.array([object()]))
        with pytest.raises(upwash.ArgumentError, match="sendbuf is of type list.*lower case"):
            world.Allreduce([1, 2], np.zeros(2))
        world.Allreduce(frozen, np.zeros(2))  # what is sent may be read-only

    alone(body)


def test_members_roots_and_blocks():
    def body(job):
        world = job.world
        with pytest.raises(upwash.ArgumentError, match="Send at rank 0: .*7"):
            world.Send(b"x", 7)
        with pytest.raises(upwash.ArgumentError, match="Bcast at rank 0: .*9"):
            world.Bcast(bytearray(4), root=9)
        with pytest.raises(upwash.ArgumentError, match="expected .array, counts. or"):
            world.Allgatherv(np.zeros(1), np.zeros(1))
        with pytest.raises(upwash.ArgumentError, match="2 counts for 1 members"):
            world.Allgatherv(np.zeros(1), [np.zeros(2), [1, 1]])
        with pytest.raises(upwash.ArgumentError, match="3 elements at 0 for member 0 go beyond its 2"):
            world.Allgatherv(np.zeros(3), [np.zeros(2), [3]])
        with pytest.raises(upwash.ArgumentError, match=r"counts\[0\] is -1"):
            world.Allgatherv(np.zeros(1), [np.zeros(2), [-1]])
        with pytest.raises(upwash.ArgumentError, match="no member 1 of a team of 1"):
            world.world_rank(1)
        with pytest.raises(upwash.ArgumentError, match="a job of upwash.run ends when"):
            job.close()
        with pytest.raises(TypeError):
            world.Allreduce(np.zeros(1), np.zeros(1), "SUM")

    alone(body)


def test_after_the_end_nothing_is_touched():
    kept = {}

    def body(job):
        kept["job"], kept["world"] = job, job.world
        kept["region"] = job.world.allocate(4)
        kept["stream"] = upwash.stream(job.world, "i4", lambda records: None)
        kept["request"] = job.world.Irecv(np.zeros(1), 0, 0)

    alone(body)
    assert kept["job"].ended
    for call in (lambda: kept["job"].rank, lambda: kept["world"].Barrier(),
                 lambda: kept["region"].local, lambda: kept["region"].put(0, [1.0]),
                 lambda: kept["stream"].push(0, [1]), lambda: kept["stream"].finish()):
        with pytest.raises(upwash.ArgumentError, match="the job has ended"):
            call()
    kept["request"].wait()  # was taken back with the end of the job
    assert "ended" in repr(kept["job"]) and "ended" in repr(kept["world"])


def test_unknown_knobs_and_ranks():
    with pytest.raises(upwash.Error, match="UPWASH_CHEKED"):
        upwash.run(lambda job: None, ranks=1, conduit="sim", cheked=1)
    with pytest.raises(upwash.ArgumentError, match="ranks is 0"):
        upwash.run(lambda job: None, ranks=0)
