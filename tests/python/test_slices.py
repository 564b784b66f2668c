# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Puts and gets by slices against the same on an array of numpy's."""

import numpy as np
import pytest

import upwash


def drawn_index(rng, shape):
    """An index with a slice at least; sometimes fewer parts than dimensions."""
    parts = []
    for size in shape:
        if rng.integers(0, 4) == 0:
            parts.append(int(rng.integers(0, size)))
        else:
            start, stop = sorted(int(each) for each in rng.integers(0, size + 1, 2))
            parts.append(slice(start, stop, int(rng.integers(1, 4))))
    parts[rng.integers(0, len(parts))] = slice(None, None, int(rng.integers(1, 3)))
    last = max(i for i, part in enumerate(parts) if isinstance(part, slice))
    return tuple(parts[:rng.integers(last, len(parts)) + 1])


def drawn_view(rng, shape, dtype):
    """An array of that shape, maybe with gaps or transposed."""
    kind = rng.integers(0, 3)
    if kind == 0:
        return rng.integers(0, 100, shape).astype(dtype)
    if kind == 1:
        return rng.integers(0, 100, shape[::-1]).astype(dtype).T
    wide = rng.integers(0, 100, [2 * each + 1 for each in shape]).astype(dtype)
    return wide[tuple(slice(1, 1 + 2 * each, 2) for each in shape)]


def test_random_puts_and_gets(everywhere):
    def body(job):
        world = job.world
        rng = np.random.default_rng([3, world.rank])
        for shape, dtype in (((40,), "f8"), ((7, 9), "i4"), ((3, 4, 5), "u1"), ((2, 3, 2, 3, 2), "c16")):
            region = world.allocate(shape, dtype)
            target = (world.rank + 1) % world.size
            mirror = np.zeros(shape, dtype)
            for step in range(25):
                at = drawn_index(rng, shape)
                values = drawn_view(rng, mirror[at].shape, dtype)
                mirror[at] = values
                if step % 3 == 0:
                    region.put(target, values, at)
                elif step % 3 == 1:
                    region.iput(target, values, at).wait()
                else:
                    region.put_later(target, values, at)
                    region.flush()
                at = drawn_index(rng, shape)
                np.testing.assert_array_equal(region.get(target, at), mirror[at])
                out = drawn_view(rng, mirror[at].shape, dtype)
                region.iget(target, out, at).wait()
                np.testing.assert_array_equal(out, mirror[at])
            region.fence()
            np.testing.assert_array_equal(region.get(target), mirror)

    everywhere(body)


def test_values_are_broadcast_and_gaps_stay():
    def body(job):
        region = job.world.allocate((4, 6), "i4")
        region.put(0, 7, np.s_[1:3, ::2])
        region.put(0, [1, 2, 3], np.s_[3, 1::2])
        expected = np.zeros((4, 6), int)
        expected[1:3, ::2], expected[3, 1::2] = 7, [1, 2, 3]
        np.testing.assert_array_equal(region.local, expected)
        region.put(0, np.arange(6, dtype="i4")[::-1], np.s_[0])  # not a slice: an element
        assert region.get(0, (3, 1)).tolist() == region.local.reshape(-1)[19:].tolist()  # all behind it
        assert region.get(0, 24).size == 0
        wide = np.full((4, 12), -1, "i4")
        region.get(0, np.s_[:, 1:2], out=wide[:, 3:4])
        assert (wide[:, 3] == region.local[:, 1]).all() and (np.delete(wide, 3, 1) == -1).all()

    upwash.run(body, ranks=1, conduit="sim")


def test_refusals():
    def body(job):
        region = job.world.allocate((4, 6), "i4")
        for at, words in ((np.s_[::-1], r"at\[0\] has step -1"), (np.s_[:, 6], r"at\[1\] is 6, and the "
                          "region has 6 there"), (np.s_[:, :, :], "at has 3 parts, and the region 2"),
                          (np.s_[:, "a"], r"at\[1\] is of type str"), (np.s_[..., 1:], "ellipsis")):
            with pytest.raises(upwash.ArgumentError, match=f"put at rank 0: .*{words}"):
                region.put(0, 1, at)
        with pytest.raises(upwash.ArgumentError, match=r"values has shape \(3,\), and at selects \(4, 6\)"):
            region.put(0, np.zeros(3, "i4"), np.s_[:])
        with pytest.raises(upwash.ArgumentError, match="values has dtype float64"):
            region.put(0, np.zeros(6), np.s_[:])
        with pytest.raises(upwash.ArgumentError, match=r"out has shape \(6,\), and at selects \(4, 1\)"):
            region.get(0, np.s_[:, :1], out=np.zeros(6, "i4"))
        with pytest.raises(upwash.ArgumentError, match="out goes backwards"):
            region.get(0, np.s_[:, 0], out=np.zeros(4, "i4")[::-1])
        with pytest.raises(upwash.ArgumentError, match="count and slices"):
            region.get(0, np.s_[:, 0], count=3)
        with pytest.raises(upwash.ArgumentError, match="no member 5"):
            region.get(5, np.s_[:, 0])
        frozen = np.zeros(4, "i4")
        frozen.flags.writeable = False
        with pytest.raises(upwash.ArgumentError, match="out is read-only"):
            region.iget(0, frozen, np.s_[:, 0])

    upwash.run(body, ranks=1, conduit="sim")
