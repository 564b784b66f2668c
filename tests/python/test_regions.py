# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Memory of other ranks as arrays, and streams of records."""

import gc

import numpy as np
import pytest

import upwash


def test_puts_and_gets(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        region = world.allocate((size, 3), "i4")
        assert region.shape == (size, 3) and region.dtype == np.dtype("i4")
        assert not region.local.any() and region.team == world
        world.Barrier()
        for to in range(size):
            region.put(to, [rank, to, 7], at=(rank, 0))
        world.Barrier()
        expected = [[r, rank, 7] for r in range(size)]
        np.testing.assert_array_equal(region.local, expected)
        right = (rank + 1) % size
        np.testing.assert_array_equal(region.get(right), [[r, right, 7] for r in range(size)])
        assert region.get(right, at=(rank, 1), count=2).tolist() == [right, 7]
        out = np.empty(3, "i4")
        request = region.iget(right, out, at=3 * rank)
        request.wait()
        assert out.tolist() == [rank, right, 7]
        world.Barrier()
        region.iput(right, np.array([9], "i4"), at=(rank, 2)).wait()
        world.Barrier()
        assert region.local[(rank - 1) % size, 2] == 9
        world.Barrier()
        region.put_later(right, np.array([11], "i4"), at=(rank, 2))
        region.fence()
        assert region.local[(rank - 1) % size, 2] == 11
        world.Barrier()
        region.put_later(right, np.array([12], "i4"), at=(rank, 2))
        region.flush()
        assert region.get(right, (rank, 2), 1)[0] == 12
        world.Barrier()
        region.free()
        with pytest.raises(upwash.ArgumentError, match="the region was freed"):
            region.put(0, [1])

    everywhere(body)


def test_regions_refuse(everywhere):
    def body(job):
        world = job.world
        region = world.allocate(4, "f8")
        with pytest.raises(upwash.ArgumentError, match="values has dtype int64, and float64 is wanted"):
            region.put(0, np.array([1]))
        with pytest.raises(upwash.ArgumentError, match="numbers with a point"):
            world.allocate(1, "i4").put(0, [1.5])
        with pytest.raises(upwash.ArgumentError, match="-1 is no uint32"):
            world.allocate(1, "u4").fetch_add(0, -1)
        with pytest.raises(upwash.ArgumentError, match="shape has -2"):
            world.allocate(-2)
        with pytest.raises(upwash.ArgumentError, match="3 elements at 2 go beyond the region's 4"):
            region.put(0, [1.0, 2, 3], at=2)
        with pytest.raises(upwash.ArgumentError, match="at is -1"):
            region.get(0, at=-1)
        with pytest.raises(upwash.ArgumentError, match="at has 2 numbers, and the region 1"):
            region.get(0, at=(0, 0))
        with pytest.raises(upwash.ArgumentError, match=f"no member {world.size} of"):
            region.get(world.size)
        with pytest.raises(upwash.ArgumentError, match="atomics are for"):
            region.fetch_add(0, 1)
        view = region.local[1:]
        with pytest.raises(upwash.ArgumentError, match="1 arrays lie in the region's memory"):
            region.free()
        del view
        gc.collect()
        region.free()

    everywhere(body)


def test_atomics(everywhere):
    def body(job):
        world, size = job.world, job.size
        for dtype in ("i4", "u4", "i8", "u8"):
            region = world.allocate(2, dtype)
            before = [region.fetch_add(0, 1) for _ in range(10)]
            assert before == sorted(before)
            world.Barrier()
            assert region.get(0, count=1)[0] == 10 * size
            region.fetch_max(0, job.rank, at=1)
            world.Barrier()
            assert region.get(0, 1, 1)[0] == size - 1
            world.Barrier()
            if job.rank == 0:
                assert region.compare_swap(0, 5, 6) == 10 * size
                assert region.compare_swap(0, 10 * size, 6) == 10 * size
                assert region.swap(0, 1) == 6
                assert region.fetch_or(0, 6) == 1 and region.fetch_and(0, 3) == 7
                assert region.fetch_xor(0, 1) == 3 and region.fetch_min(0, 1) == 2
                assert region.get(0, count=1)[0] == 1
            world.Barrier()
        signed = world.allocate(1, "i8")
        if job.rank == 0:
            signed.swap(0, -5)
            assert signed.fetch_min(0, -7) == -5 and signed.fetch_max(0, 2) == -7
        world.Barrier()

    everywhere(body)


def test_an_array_of_a_region_does_not_outlive_its_job():
    with pytest.raises(upwash.Error, match="outlives the job: return a copy"):
        upwash.run(lambda job: job.world.allocate(4).local, ranks=1, conduit="sim")
    assert upwash.run(lambda job: job.world.allocate(4).local.copy(), ranks=1,
                      conduit="sim")[0].tolist() == [0, 0, 0, 0]
    # Of a process it comes back as a copy anyway.
    assert upwash.run(lambda job: job.world.allocate(4).local, ranks=1)[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["i4", "f8", "V3", "V200"])
def test_streams_bring_every_record(everywhere, dtype):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        came = []
        stream = upwash.stream(world, dtype, came.append)
        rng = np.random.default_rng(rank)
        raw = rng.integers(0, 256, (1000, np.dtype(dtype).itemsize)).astype("u1")
        raw[:, -1] = 1  # no NaN, which equals nothing
        records = raw.view(dtype).reshape(-1)
        to = rng.integers(0, size, 1000)
        stream.push(to, records)
        stream.push((rank + 1) % size, records[:3])
        stream.finish()
        mine = sorted(record.tobytes() for batch in came for record in batch)
        sent = world.allgather([(int(t), r.tobytes()) for t, r in zip(to, records)] +
                               [((rank + 1) % size, r.tobytes()) for r in records[:3]])
        assert mine == sorted(r for part in sent for t, r in part if t == rank)
        assert all(batch.dtype == np.dtype(dtype) for batch in came)
        assert stream.statistics()["pushed"] == 1003
        stream.close()
        stream.close()
        with pytest.raises(upwash.ArgumentError, match="was closed"):
            stream.push(0, records[:1])

    everywhere(body)


def test_handlers_push(everywhere):
    def body(job):
        world, size = job.world, job.size
        seen = [0]

        def on_batch(hops):
            seen[0] += len(hops)
            again = hops[hops > 0] - 1
            if len(again):
                stream.push((job.rank + 1) % size, again)

        stream = upwash.stream(world, "i8", on_batch)
        stream.push(np.arange(size), np.full(size, 9))
        stream.finish()
        assert sum(world.allgather(seen[0])) == 10 * size * size
        stream.close()

    everywhere(body)


def test_streams_refuse():
    def body(job):
        with pytest.raises(upwash.ArgumentError, match="records of dtype .* have 400 bytes"):
            upwash.stream(job.world, "V400", print)
        stream = upwash.stream(job.world, "i4", lambda records: None)
        with pytest.raises(upwash.ArgumentError, match="2 destinations for 3 records"):
            stream.push([0, 0], [1, 2, 3])
        with pytest.raises(upwash.ArgumentError, match="push at rank 0: .*7"):
            stream.push(7, [1])
        with pytest.raises(upwash.ArgumentError, match="destinations have dtype float64"):
            stream.push(0.5, [1])

    upwash.run(body, ranks=1, conduit="sim")


@pytest.mark.parametrize("conduit", ["shm", "sim"])
def test_what_a_handler_raises_ends_the_job(conduit, capfd):
    def body(job):
        def on_batch(records):
            raise KeyError("bad record")

        stream = upwash.stream(job.world, "i4", on_batch)
        stream.push(0, [1])
        stream.finish()

    with pytest.raises(upwash.Error, match="KeyError") as raised:
        upwash.run(body, ranks=2, conduit=conduit)
    if conduit == "sim":
        assert isinstance(raised.value.__cause__, KeyError)
    capfd.readouterr()
