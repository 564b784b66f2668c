# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives against numpy: each alone, and random programs of many."""

import numpy as np
import pytest

import upwash

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
ORACLES = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
           "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor,
           "LAND": np.logical_and, "LOR": np.logical_or, "LXOR": np.logical_xor}


def values(rng, count, dtype):
    """Small whole numbers: their sums are the same in any order."""
    return rng.integers(0, 4, count).astype(dtype)


def of_all(seed, size, count, dtype):
    """What each rank contributes; the same at all of them."""
    return [values(np.random.default_rng([seed, rank]), count, dtype) for rank in range(size)]


def test_reductions_of_all_types_and_operators(everywhere):
    def body(job):
        world = job.world
        for dtype in [*DTYPES, "?"]:
            for name, oracle in ORACLES.items():
                parts = of_all(1, world.size, 7, dtype)
                result = np.empty(7, dtype)
                kind = np.dtype(dtype).kind
                serves = {"c": name in ("SUM", "PROD"), "b": name not in ("SUM", "PROD"),
                          "f": name in ("SUM", "PROD", "MIN", "MAX")}.get(kind, True)
                if not serves:
                    with pytest.raises(upwash.ArgumentError, match=f"{name} does not combine"):
                        world.Allreduce(parts[world.rank], result, getattr(upwash, name))
                    continue
                world.Allreduce(parts[world.rank], result, getattr(upwash, name))
                expected = parts[0]
                for part in parts[1:]:
                    expected = oracle(expected, part).astype(dtype)
                if world.size == 1 and name.startswith("L"):
                    continue  # nothing is combined
                np.testing.assert_array_equal(result, expected, err_msg=f"{dtype} {name}")

    everywhere(body)


def blocks(world, rng):
    """Lengths of uneven blocks, some of them empty, with gaps between."""
    counts = rng.integers(0, 5, world.size)
    places = np.cumsum(counts + rng.integers(0, 3, world.size)) - counts
    return counts, places, int((places + counts).max(initial=0))


def random_step(world, rng, seed):
    """One call, drawn alike at all ranks, and what numpy says of it: (received, expected)."""
    size, rank = world.size, world.rank
    call = rng.integers(0, 11)
    count = int(rng.integers(0, 40))
    dtype = DTYPES[rng.integers(len(DTYPES))]
    root = int(rng.integers(size))
    parts = of_all(seed, size, count, dtype)
    wide = of_all(seed, size, count * size, dtype)
    total = np.add.reduce(parts).astype(dtype)
    if call == 0:
        out = parts[root].copy() if rank == root else np.zeros(count, dtype)
        return "Bcast", (out, root), out, parts[root]
    if call == 1:
        out = np.zeros(count * size, dtype)
        return "Allgather", (parts[rank], out), out, np.concatenate(parts)
    if call == 2:
        out = np.zeros(count, dtype)
        return "Allreduce", (parts[rank], out), out, total
    if call == 3:
        out = parts[rank].copy()
        return "Allreduce", (upwash.IN_PLACE, out), out, total
    if call == 4:
        out = np.zeros(count * size, dtype)
        expected = np.concatenate([part[rank * count:(rank + 1) * count] for part in wide])
        return "Alltoall", (wide[rank], out), out, expected
    if call == 5:
        out = np.zeros(count, dtype)
        expected = wide[root][rank * count:(rank + 1) * count]
        return "Scatter", (wide[rank] if rank == root else None, out, root), out, expected
    if call == 6:
        out = np.zeros(count * size, dtype)
        expected = np.concatenate(parts) if rank == root else out.copy()
        return "Gather", (parts[rank], out if rank == root else None, root), out, expected
    if call == 7:
        out = np.zeros(count, dtype)
        return "Scan", (parts[rank], out), out, np.add.reduce(parts[:rank + 1]).astype(dtype)
    if call == 8:
        out = np.zeros(count, dtype)
        expected = np.add.reduce(wide).astype(dtype)[rank * count:(rank + 1) * count]
        return "Reduce_scatter_block", (wide[rank], out), out, expected
    counts, places, length = blocks(world, rng)
    mine = [values(np.random.default_rng([seed, r, 5]), counts[r], dtype) for r in range(size)]
    if call == 9:
        out = np.zeros(length, dtype)
        expected = out.copy()
        for r in range(size):
            expected[places[r]:places[r] + counts[r]] = mine[r]
        return "Allgatherv", (mine[rank], [out, counts, places]), out, expected
    out = np.zeros(counts[rank] * size, dtype)
    expected = np.concatenate([np.full(counts[rank], r).astype(dtype) for r in range(size)])
    sent = np.full(int(counts.sum()), rank).astype(dtype)
    return "Alltoallv", ([sent, counts], [out, [counts[rank]] * size]), out, expected


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(everywhere, seed):
    def body(job):
        world = job.world
        rng = np.random.default_rng(seed)
        under_way = []
        for step in range(60):
            name, arguments, out, expected = random_step(world, rng, seed * 1000 + step)
            if rng.integers(3) == 0:
                request = getattr(world, f"I{name.lower()}")(*arguments)
                under_way.append((name, step, request, out, expected))
            else:
                getattr(world, name)(*arguments)
                np.testing.assert_array_equal(out, expected, err_msg=f"{name}, step {step}")
            del arguments
        rng.shuffle(under_way)
        for name, step, request, out, expected in under_way:
            request.wait()
            np.testing.assert_array_equal(out, expected, err_msg=f"I{name}, step {step}")

    everywhere(body, checked=seed % 2)


def test_teams(everywhere):
    def body(job):
        world = job.world
        half = world.Split(world.rank % 2, -world.rank)
        members = [r for r in range(world.size) if r % 2 == world.rank % 2][::-1]
        assert half.size == len(members) and half.rank == members.index(world.rank)
        assert [half.world_rank(i) for i in range(half.size)] == members
        assert half.member_of(world.rank) == half.rank
        total = np.zeros(1, int)
        half.Allreduce(np.array([world.rank]), total)
        assert total[0] == sum(members)
        half.Free()
        assert (world.Split(-1) is None) if world.rank == 0 else world.Split(0)
        twin = world.Dup()
        assert twin != world and world == job.world and twin.size == len(world)
        assert world.node().size >= 1
        assert world.subset([world.rank]).size == 1

    everywhere(body)


def test_other_collectives_of_uneven_blocks(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        counts = np.arange(size) + 1
        places = np.cumsum(counts) - counts
        everything = np.arange(counts.sum(), dtype=float)
        mine = np.zeros(rank + 1)
        root = size - 1
        world.Scatterv([everything, counts] if rank == root else None, mine, root)
        np.testing.assert_array_equal(mine, everything[places[rank]:][:rank + 1])
        back = np.zeros_like(everything)
        world.Gatherv(mine, [back, counts, places] if rank == root else None, root)
        if rank == root:
            np.testing.assert_array_equal(back, everything)
        world.Reduce_scatter(everything * (rank + 1), mine, counts)
        np.testing.assert_array_equal(mine, everything[places[rank]:][:rank + 1] * sum(counts))
        before = np.full(1, -1.0)
        world.Exscan(np.array([float(rank)]), before)
        assert before[0] == (sum(range(rank)) if rank else -1)
        total = np.zeros(2)
        world.Reduce(np.array([1.0, rank]), total if rank == root else None, upwash.MAX, root)
        assert rank != root or total.tolist() == [1, size - 1]
        own = np.array([2.0]) if rank == 0 else np.array([3.0])
        world.Reduce(upwash.IN_PLACE if rank == 0 else own, own if rank == 0 else None)
        assert rank != 0 or own[0] == 2 + 3 * (size - 1)

    everywhere(body)


def test_arrays_of_any_shape_and_other_buffers(everywhere):
    def body(job):
        world = job.world
        square = np.full((3, 4), world.rank + 1, dtype="f4")
        total = np.empty_like(square)
        world.Allreduce(square, total)
        assert (total == sum(range(1, world.size + 1))).all()
        scalar, result = np.array(2.0), np.array(0.0)
        world.Allreduce(scalar, result, upwash.PROD)
        assert result == 2.0 ** world.size
        text = bytearray(b"upwash" if world.rank == 0 else b"......")
        world.Bcast(text)
        assert text == b"upwash"
        all_text = bytearray(6 * world.size)
        world.Allgather(b"abcdef", all_text)
        assert all_text == b"abcdef" * world.size
        records = np.zeros(2, dtype=[("key", "i4"), ("value", "f8")])
        records["key"] = world.rank
        gathered = np.zeros(2 * world.size, dtype=records.dtype)
        world.Allgather(records, gathered)
        assert gathered["key"].tolist() == [r for r in range(world.size) for _ in range(2)]
        nothing = np.zeros(0)
        world.Allreduce(nothing, np.zeros(0))
        world.Allgather(nothing, np.zeros(0))
        world.Bcast(nothing)

    everywhere(body)


def test_objects(everywhere):
    def body(job):
        world, rank, size = job.world, job.rank, job.size
        assert world.bcast({"from": rank}, root=size - 1) == {"from": size - 1}
        assert world.allgather("x" * rank) == ["x" * r for r in range(size)]
        assert world.gather(rank, 0) == (list(range(size)) if rank == 0 else None)
        assert world.scatter([[r] for r in range(size)] if rank == 0 else None) == [rank]
        assert world.alltoall([(rank, to) for to in range(size)]) == [(r, rank) for r in range(size)]
        assert world.allreduce(rank) == sum(range(size))
        assert world.allreduce([rank]) == list(range(size))
        assert world.allreduce(rank, upwash.MAX) == size - 1
        assert world.allreduce(str(rank), lambda a, b: f"({a}{b})").count("(") == size - 1
        assert world.reduce(1, root=size - 1) == (size if rank == size - 1 else None)
        assert world.scan(1) == rank + 1
        assert world.exscan(1) == (rank if rank else None)
        with pytest.raises(upwash.ArgumentError, match="objects for"):
            world.alltoall([0] * (size + 1))
        world.barrier()

    everywhere(body)
