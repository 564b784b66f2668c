# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Neighborhoods against the edges that they are made of."""

import gc

import numpy as np
import pytest

import upwash


def edges(seed, size):
    """How often each rank is a destination of each: some none, some twice."""
    return np.random.default_rng(seed).integers(0, 3, (size, size)) * \
        np.random.default_rng(seed + 1).integers(0, 2, (size, size))


def neighborhood(world, seed):
    graph = edges(seed, world.size)
    sources = [r for r in range(world.size) for _ in range(graph[r, world.rank])]
    destinations = [r for r in range(world.size) for _ in range(graph[world.rank, r])]
    return world.Create_dist_graph_adjacent(sources, destinations), sources, destinations


def block(sender, count, dtype="i4", number=0):
    return (np.arange(count) + 100 * sender + 1000 * number).astype(dtype)


def of_edge(world, graph, sources, lengths):
    """What comes from each source: of several edges of a pair the first is the first."""
    parts, seen = [], {}
    for s in sources:
        seen[s] = seen.get(s, 0) + 1
        targets = [r for r in range(world.size) for _ in range(graph[s, r])]
        place = [i for i, r in enumerate(targets) if r == world.rank][seen[s] - 1]
        parts.append(block(s, lengths(s, place), number=place))
    return np.concatenate(parts) if parts else np.empty(0, "i4")


def test_all_forms_of_all_calls(everywhere):
    def body(job):
        world = job.world
        for seed in range(2):
            graph = edges(seed, world.size)
            near, sources, destinations = neighborhood(world, seed)
            assert (near.sources, near.destinations) == (sources, destinations)
            assert near.team == world
            for count in (0, 1, 5, 3000):
                mine = block(world.rank, count)
                expected = np.concatenate([block(s, count) for s in sources] or [mine[:0]])
                found = [np.full(len(expected), -1, "i4") for _ in range(3)]
                near.Neighbor_allgather(mine, found[0])
                near.Ineighbor_allgather(mine, found[1]).wait()
                again = near.Neighbor_allgather_init(mine, found[2])
                again.run()
                for each in found:
                    np.testing.assert_array_equal(each, expected)
                if world.size > 1:
                    mine += 7
                again.start().wait()
                np.testing.assert_array_equal(found[2], expected + (7 if world.size > 1 else 0))

                sent = np.concatenate([block(world.rank, count, number=i)
                                       for i in range(len(destinations))] or [mine[:0]])
                expected = of_edge(world, graph, sources, lambda s, i: count)
                found = [np.full(len(expected), -1, "i4") for _ in range(3)]
                near.Neighbor_alltoall(sent, found[0], count)
                near.Ineighbor_alltoall(sent, found[1], count=count).wait()
                near.Neighbor_alltoall_init(sent, found[2], count).run()
                for each in found:
                    np.testing.assert_array_equal(each, expected)

    everywhere(body)


def test_blocks_of_different_lengths(everywhere):
    def body(job):
        world = job.world
        graph = edges(5, world.size)
        near, sources, destinations = neighborhood(world, 5)
        mine = block(world.rank, world.rank + 2)
        expected = np.concatenate([block(s, s + 2) for s in sources] or [mine[:0]])
        counts = [s + 2 for s in sources]
        found = [np.full(len(expected), -1, "i4") for _ in range(3)]
        near.Neighbor_allgatherv(mine, [found[0], counts])
        near.Ineighbor_allgatherv(mine, [found[1], np.array(counts, int)]).wait()
        near.Neighbor_allgatherv_init(mine, [found[2], counts]).run()
        for each in found:
            np.testing.assert_array_equal(each, expected)

        def lengths(sender, number):
            return (3 * sender + number) % 5

        sent = [block(world.rank, lengths(world.rank, i), number=i) for i in range(len(destinations))]
        goes = [np.concatenate(sent or [mine[:0]]), [len(s) for s in sent]]
        expected = of_edge(world, graph, sources, lengths)
        targets = {s: [r for r in range(world.size) for _ in range(graph[s, r])] for s in sources}
        seen, comes = {}, []
        for s in sources:
            places = [i for i, r in enumerate(targets[s]) if r == world.rank]
            comes.append(lengths(s, places[seen.setdefault(s, 0)]))
            seen[s] += 1
        found = [np.full(len(expected), -1, "i4") for _ in range(3)]
        near.Neighbor_alltoallv(goes, [found[0], comes])
        near.Ineighbor_alltoallv(goes, [found[1], comes]).wait()
        near.Neighbor_alltoallv_init(goes, [found[2], comes]).run()
        for each in found:
            np.testing.assert_array_equal(each, expected)

    everywhere(body)


def test_grids(everywhere):
    def body(job):
        world = job.world
        ring = world.cartesian([world.size], [True])
        before, behind = (world.rank - 1) % world.size, (world.rank + 1) % world.size
        assert ring.sources == ring.destinations == [before, behind]
        line = world.moore([world.size], radius=2)
        assert line.destinations == [r for r in range(world.rank - 2, world.rank + 3)
                                     if 0 <= r < world.size and r != world.rank]
        halo = np.empty(2)
        under_way = ring.Ineighbor_alltoall(np.array([1.0, 2.0]) + world.rank, halo)
        del ring, line  # what is under way goes on
        gc.collect()
        under_way.wait()
        # Of two edges between the same two ranks the first is the first at both ends.
        first, second = (2.0, 1.0) if world.size > 2 else (1.0, 2.0)
        np.testing.assert_array_equal(halo, [before + first, behind + second])

    everywhere(body)


def test_refusals():
    def body(job):
        world = job.world
        name = "Create_dist_graph_adjacent at rank 0: "
        with pytest.raises(upwash.ArgumentError, match=name + ".*destination 9|.*source 9"):
            world.Create_dist_graph_adjacent([9], [9])
        with pytest.raises(upwash.ArgumentError, match=name + "sources is 3: expected ranks"):
            world.Create_dist_graph_adjacent(3, [])
        with pytest.raises(upwash.ArgumentError, match="cartesian at rank 0: .*grid of 2 ranks"):
            world.cartesian([2])
        near = world.Create_dist_graph_adjacent([0, 0], [0, 0])
        with pytest.raises(upwash.ArgumentError, match="Neighbor_allgather at rank 0: sendbuf has 3 "
                                                       "elements, so recvbuf should have 6"):
            near.Neighbor_allgather(np.zeros(3), np.zeros(3))
        with pytest.raises(upwash.ArgumentError, match="Neighbor_alltoall at rank 0: .*"):
            near.Neighbor_alltoall(np.zeros(3), np.zeros(4))
        with pytest.raises(upwash.ArgumentError, match="recvbuf: 1 counts for 2"):
            near.Neighbor_allgatherv(np.zeros(3), [np.zeros(3), [3]])
        alone = world.Create_dist_graph_adjacent([], [])
        with pytest.raises(upwash.ArgumentError, match="Ineighbor_alltoall at rank 0: .*give count"):
            alone.Ineighbor_alltoall(np.zeros(0), np.zeros(0))
        return near

    near = upwash.run(body, ranks=1, conduit="sim")[0]
    with pytest.raises(upwash.ArgumentError, match="the job has ended"):
        print(near.sources)
