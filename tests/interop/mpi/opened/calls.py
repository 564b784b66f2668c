# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of mpi4py, whose results are known."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
total = array("i", [0])
world.Allreduce(array("i", [rank]), total)
assert total[0] == ranks * (ranks - 1) // 2
assert world.bcast({"of": rank}, root=1) == {"of": 1}
everybody = array("i", [0] * ranks)
world.Iallgather(array("i", [rank]), everybody).Wait()
assert list(everybody) == list(range(ranks))
