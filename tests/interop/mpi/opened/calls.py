# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives and messages of mpi4py, whose results are known."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
total = array("i", [0])
world.Allreduce(array("i", [rank]), total)
assert total[0] == ranks * (ranks - 1) // 2
assert world.bcast({"of": rank}, root=1) == {"of": 1}
# mpi4py 3.1.4 lets go of arrays while requests still read them.
everybody, mine = array("i", [0] * ranks), array("i", [rank])
world.Iallgather(mine, everybody).Wait()
assert list(everybody) == list(range(ranks))

left, right = (rank - 1) % ranks, (rank + 1) % ranks
number, numbers = array("d", [rank]), array("d", [rank] * 10)
for turn in range(20):
    sending = world.isend({"of": rank, "turn": turn}, dest=right, tag=turn)
    assert world.recv(source=left, tag=turn) == {"of": left, "turn": turn}
    sending.wait()
    came, sums = array("d", [0.0] * 10), array("d", [0.0])
    MPI.Request.Waitall([world.Irecv([came, MPI.DOUBLE], source=MPI.ANY_SOURCE, tag=100 + turn),
                         world.Isend([numbers, MPI.DOUBLE], dest=right, tag=100 + turn),
                         world.Iallreduce([number, MPI.DOUBLE], [sums, MPI.DOUBLE])])
    assert list(came) == [left] * 10 and sums[0] == ranks * (ranks - 1) / 2
    assert world.gather(rank, root=0) == (list(range(ranks)) if rank == 0 else None)

kept = array("i", [0])
again = [world.Recv_init([kept, MPI.INT], source=left, tag=7), world.Send_init([mine, MPI.INT], dest=right, tag=7)]
for turn in range(3):
    kept[0] = -1
    MPI.Prequest.Startall(again)
    MPI.Request.Waitall(again)
    assert kept[0] == left
for each in again:
    each.Free()
message = world.irecv(source=left, tag=9)
world.send("a text", dest=right, tag=9)
assert message.wait() == "a text"
half = world.Split(rank % 2, rank)
assert half.allreduce(1) == (ranks + 1 - rank % 2) // 2
half.Free()
