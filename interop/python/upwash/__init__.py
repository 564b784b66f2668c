# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""upwash for Python: ranks that communicate, by numpy arrays that are not copied.

    import numpy as np
    import upwash

    def main(job):
        world = job.world
        total = np.zeros(1)
        world.Allreduce(np.array([world.rank], dtype=float), total, upwash.SUM)
        return total[0]

    print(upwash.run(main, ranks=4))                  # four processes of this machine
    print(upwash.run(main, ranks=64, conduit="sim"))  # a simulated machine, in this process

or, in a program that `upwash run -n 4 python3 program.py` starts:

    with upwash.attach() as job:
        job.world.Barrier()

docs/python.md says more.
"""

from ._upwash import (BAND, BOR, BXOR, IN_PLACE, LAND, LOR, LXOR, MAX, MIN, PROD, SUM, HeldLock, InPlace,
                      Job, Locks, Neighborhood, Op, Persistent, Region, Request, Semaphores, Status, Stream, Team,
                      __version__, stream)
from . import objects as _objects
from .errors import ArgumentError, Error, RankStopped
from .jobs import attach, run
from .objects import ObjectRequest, wait_all, wait_any
from .schedules import Schedules, schedule
from .simulations import Simulation, simulate
from .traces import Trace, trace
from .tunings import Tuning, tuning

ANY_SOURCE = -1
ANY_TAG = -1

_objects.add_to(Team, Request, Op)

__all__ = [
    "ANY_SOURCE", "ANY_TAG", "BAND", "BOR", "BXOR", "IN_PLACE", "LAND", "LOR", "LXOR", "MAX", "MIN",
    "PROD", "SUM", "ArgumentError", "Error", "HeldLock", "InPlace", "Job", "Locks", "Neighborhood",
    "ObjectRequest", "Op", "Persistent", "RankStopped", "Region", "Request", "Schedules", "Semaphores", "Simulation", "Status",
    "Stream", "Team", "Trace", "Tuning",
    "attach", "run", "schedule", "simulate", "stream", "trace", "tuning", "wait_all", "wait_any",
]
