# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tagged messages, requests, and what keeps buffers alive."""

import gc
import weakref

import numpy as np
import pytest

import upwash


def test_ring(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        right, left = (rank + 1) % size, (rank - 1) % size
        for count in (1, 100, 100_000):
            mine, theirs = np.full(count, rank), np.empty(count, int)
            status = world.Sendrecv(mine, right, 3, theirs, left, 3)
            assert (theirs == left).all()
            assert (status.source, status.tag, status.bytes) == (left, 3, 8 * count)
            assert status.Get_count("i8") == count and status.Get_count("V16") in (-1, count // 2)
        assert world.sendrecv({"rank": rank}, right, source=left) == {"rank": left}

    everywhere(body)


def test_wildcards_probes_and_order(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        sends = [world.Isend(np.array([rank, i]), 0, tag=i) for i in range(3)]
        if rank == 0:
            assert not world.Iprobe(0, 99)
            seen = set()
            for _ in range(3 * size):
                status = upwash.Status()
                assert world.Probe(status=status)
                into = np.empty(2, int)
                world.Recv(into, status.Get_source(), status.Get_tag())
                assert into.tolist() == [status.source, status.tag]
                seen.add(tuple(into))
            assert len(seen) == 3 * size
        upwash.wait_all(sends)
        world.Barrier()
        for i in range(5):  # of one sender and tag in order
            world.send(("item", i), (rank + 1) % size, tag=4)
        assert [world.recv(tag=4)[1] for _ in range(5)] == list(range(5))

    everywhere(body)


def test_requests(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        right, left = (rank + 1) % size, (rank - 1) % size
        coming = [world.irecv(source=left, tag=i) for i in range(2)]
        assert coming[1].test() == (False, None) and coming[1].status is None
        world.Barrier()
        going = [world.isend([rank, i], right, tag=i) for i in range(2)]
        assert upwash.wait_all(coming) == [[left, 0], [left, 1]]
        assert coming[0].status.source == left
        upwash.Request.Waitall(going)
        total = np.zeros(1)
        request = world.Iallreduce(np.ones(1), total)
        while not request.test():
            pass
        assert total[0] == size and request.done and request.Test() and request.status is None
        into = np.empty(4, "u1")
        requests = [world.Irecv(into, left, 7), world.Isend(b"abcd", right, 7)]
        found = {upwash.wait_any(requests), upwash.wait_any(requests)}
        assert found <= {0, 1, None}
        upwash.wait_all(requests)
        assert bytes(into) == b"abcd" and requests[0].status.bytes == 4
        status = upwash.Status()
        assert requests[0].Wait(status) and status.source == left

    everywhere(body)


def test_receives_that_are_too_short_or_taken_back(everywhere):
    def body(job):
        world, rank = job.world, job.rank
        world.Isend(np.zeros(100), rank, 1)
        short = np.full(2, 5.0)
        with pytest.raises(upwash.ArgumentError, match="Recv at rank .*800"):
            world.Recv(short, rank, 1)
        assert short.tolist() == [5, 5]
        never = world.Irecv(np.empty(1), rank, 2)
        never.cancel()
        never.wait()
        assert never.done
        world.Barrier()

    everywhere(body)


def test_arrays_that_the_program_forgets_stay(everywhere):
    """The operation, or with a request that is dropped the job, keeps them."""
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        right, left = (rank + 1) % size, (rank - 1) % size
        big = np.full(300_000, float(rank))
        gone = weakref.ref(big)
        sent = world.Isend(big, right, 1)
        received = world.Irecv(np.empty(300_000), left, 1)
        del big
        gc.collect()
        assert gone() is not None or sent.done
        world.Barrier()
        received.wait()
        sent.wait()
        gc.collect()
        assert gone() is None
        # Neither a handle nor an array: what comes must go nowhere else.
        for i in range(20):
            world.Irecv(np.zeros(50_000), left, 10 + i)
            world.Isend(np.full(50_000, 1.0), right, 10 + i)
            world.Iallreduce(np.ones(2_000), np.zeros(2_000))
            assert not np.zeros(50_000).any()
        gc.collect()
        world.Barrier()

    everywhere(body)


def test_no_receive_is_taken_back_while_its_message_is_on_the_way(everywhere):
    """Whatever the order in which the job comes upon what was forgotten."""
    def body(job):
        world, size = job.world, job.size
        for turn in range(6):
            world.Irecv(np.zeros(50_000), (job.rank - 1) % size, turn)
        job.compute(1e-3 * job.rank)
        for turn in range(6):
            world.Isend(np.ones(50_000), (job.rank + 1) % size, turn)

    everywhere(body)


def test_the_job_ends_over_open_requests(everywhere):
    held = []

    def body(job):
        held.append(job.world.Irecv(np.empty(1), job.rank, 99))  # nobody sends
        held.append(job.world.Ibarrier())
        return True

    assert all(everywhere(body))
