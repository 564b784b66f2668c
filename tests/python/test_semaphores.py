# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Posts behind data, and locks."""

import gc

import numpy as np
import pytest

import upwash

KINDS = ["ticket", "server", "hybrid", "queue", "test_and_set", "array"]


def test_who_waited_for_a_post_finds_the_data(everywhere):
    def body(job):
        world = job.world
        after, before = (world.rank + 1) % world.size, (world.rank - 1) % world.size
        filled, room = world.semaphores(2), world.semaphores(initial=1)
        assert (filled.per_rank, room.per_rank, room.value()) == (2, 1, 1)
        region = world.allocate((3, 40), "i4")
        waits = []
        for turn in range(20):
            data = np.arange(120, dtype="i4").reshape(3, 40) + 1000 * turn + world.rank
            room.wait()
            if turn % 3 == 0:
                filled.put_and_post(region, after, data, index=1, n=2)
            elif turn % 3 == 1:  # with gaps at both ends
                filled.put_and_post(region, after, data[:, 1::2], np.s_[:, 1::2], 1)
                waits.append(filled.iput_and_post(region, after, data[:, ::2], np.s_[:, ::2], 1))
            else:
                region.put(after, data)
                waits.append(filled.ipost(after, 1, 2))
            filled.wait(1, n=2)
            np.testing.assert_array_equal(region.local, data - world.rank + before)
            if turn % 2 == 0:
                room.post(before)
            else:
                waits.append(room.ipost(before))
        upwash.wait_all(waits)
        world.Barrier()
        assert filled.value(1) == 0 and not filled.try_wait(1) and room.try_wait()
        room.free()
        filled.free()
        region.free()
        with pytest.raises(upwash.ArgumentError, match="post at rank .*the set was freed"):
            room.post(0)

    everywhere(body)


def test_a_post_outlives_its_handles(everywhere):
    """Requests, arrays and the set itself are forgotten while the posts are under way."""
    def body(job):
        world = job.world
        region = world.allocate((world.size, 50_000))
        counts = world.semaphores()
        for member in range(world.size):
            counts.iput_and_post(region, member, np.full((1, 25_000), 1.0 + world.rank),
                                 np.s_[world.rank:world.rank + 1, ::2])
        gc.collect()
        counts.wait(n=world.size)
        mine = region.local
        assert (mine[:, ::2] == 1 + np.arange(world.size)[:, None]).all() and not mine[:, 1::2].any()
        del mine
        world.Barrier()
        counts.ipost((world.rank + 1) % world.size)
        del counts
        gc.collect()

    everywhere(body)


def test_semaphores_refuse():
    def body(job):
        world = job.world
        counts, region = world.semaphores(), world.allocate(4)
        some = world.subset([job.rank])
        alone = some.semaphores()
        for call, words in (
                (lambda: counts.post(2), "post at rank 0: .*members 0 to 1"),
                (lambda: counts.post(-1), "post at rank 0: .*members 0 to 1"),
                (lambda: counts.post("x"), "post at rank 0: member is of type str"),
                (lambda: counts.ipost(0, 1), "ipost at rank 0: .*the set has 1 at each"),
                (lambda: counts.post(0, n=0), "give 1 to 2\\^62"),
                (lambda: counts.wait(n=-1), "wait at rank 0: n is -1: expected 0 and up"),
                (lambda: counts.wait(n=1.5), "wait at rank 0: n is of type float"),
                (lambda: counts.try_wait(7), "try_wait at rank 0: .*the set has 1 at each"),
                (lambda: counts.value(2**40), "value at rank 0: "),
                (lambda: counts.put_and_post(region, 0, np.zeros(5)), "5 elements at 0 go beyond"),
                (lambda: counts.put_and_post(region, 5, 1.0), "no member 5"),
                (lambda: alone.put_and_post(region, 1, 1.0), "put_and_post at rank 0: "),
                (lambda: world.semaphores(initial="x"), "semaphores at rank 0: initial is of type str")):
            if job.rank == 0:
                with pytest.raises(upwash.ArgumentError, match=words):
                    call()
        with pytest.raises(upwash.ArgumentError, match="semaphores at rank"):
            world.semaphores(-1)
        assert counts.value() == 0

    upwash.run(body, ranks=2, conduit="sim")


@pytest.mark.parametrize("kind", KINDS)
def test_one_rank_at_a_time_holds_a_lock(everywhere, kind):
    def body(job):
        world = job.world
        locks, region = world.locks(2, kind), world.allocate(2, "i8")
        assert (locks.per_rank, locks.kind) == (2, kind)
        owner = world.size - 1
        for turn in range(10):
            with locks.held(owner, 1):
                assert locks.holds(owner, 1) and not locks.holds(owner)
                region.put(owner, region.get(owner, 1, 1) + 1, 1)
            if locks.try_lock(owner):
                region.put(owner, region.get(owner, 0, 1) + 1)
                locks.unlock(owner)
            else:
                locks.lock(owner)
                region.put(owner, region.get(owner, 0, 1) + 1)
                locks.unlock(owner)
        world.Barrier()
        assert region.get(owner).tolist() == [10 * world.size] * 2
        locks.free()

    everywhere(body)


def test_locks_refuse():
    def body(job):
        world = job.world
        locks = world.locks(most_held=1)
        for call, words in ((lambda: locks.lock(2), "lock at rank 0: .*members 0 to 1"),
                            (lambda: locks.lock(0, 1), "lock at rank 0: .*the set has 1 at each"),
                            (lambda: locks.unlock(0), "unlock at rank 0: "),
                            (lambda: locks.try_lock(None), "try_lock at rank 0: member is of type NoneType"),
                            (lambda: world.locks(kind="x"), "locks at rank 0: kind is x: expected one of ticket")):
            if job.rank == 0:
                with pytest.raises(upwash.ArgumentError, match=words):
                    call()
        with pytest.raises(ZeroDivisionError):
            with locks.held(job.rank):
                1 / 0
        assert not locks.holds(job.rank)
        locks.lock(job.rank)
        with pytest.raises(upwash.ArgumentError, match="free at rank .*unlock before"):
            locks.free()
        with pytest.raises(upwash.ArgumentError, match="lock at rank "):
            locks.lock(job.rank)
        locks.unlock(job.rank)
        del locks  # without free: the end of the job does it
        gc.collect()

    upwash.run(body, ranks=2, conduit="sim")


def test_a_wait_that_nobody_ends_is_told_with_its_line(capfd):
    def body(job):
        job.world.semaphores().wait()

    with pytest.raises(upwash.Error):
        upwash.run(body, ranks=2, conduit="sim")
    assert "wait for a semaphore at test_semaphores.py:" in capfd.readouterr().err
