#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a call from Python takes beside the same call by C++, in one job, samples in turn.

    PYTHONPATH=build/release/lib/python upwash run -n 2 /usr/bin/python3 bench/python/calls.py
    PYTHONPATH=build/release/lib/python /usr/bin/python3 bench/python/calls.py --simulated 4
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np

import upwash
from upwash import _upwash


def python_calls(world, what, count):
    """Mean seconds of a blocking call."""
    if what == "barrier":
        call, arguments = world.Barrier, ()
    else:
        call, arguments = world.Allreduce, (np.ones(1), np.empty(1))
    start = time.perf_counter()
    for _ in range(count):
        call(*arguments)
    return (time.perf_counter() - start) / count


def measure(job, samples, count):
    """At rank 0 rows of medians in ns, C++ and Python in turn."""
    rows = []
    for what in ("barrier", "all_reduce"):
        taken = {"cxx": [], "python": []}
        for _ in range(samples + 1):
            taken["cxx"].append(_upwash._time_calls(job.world, what, count))
            taken["python"].append(python_calls(job.world, what, count))
        medians = {who: statistics.median(all_taken[1:]) * 1e9 for who, all_taken in taken.items()}
        more = statistics.median(p - c for p, c in zip(taken["python"][1:], taken["cxx"][1:])) * 1e9
        rows.append({"bench": f"python-{what}", "ranks": job.size, "bytes": 8, "unit": "ns",
                     "n": samples, "cxx": round(medians["cxx"]), "python": round(medians["python"]),
                     "more": round(more)})
    return rows if job.rank == 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--samples", type=int, default=21)
    parser.add_argument("--calls", type=int, default=2000, help="of a sample")
    parser.add_argument("--simulated", type=int, metavar="RANKS",
                        help="ranks of a simulated machine, in this process")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    given = parser.parse_args()
    how = {} if given.simulated is None else {"ranks": given.simulated, "conduit": "sim"}
    rows = upwash.run(measure, args=(given.samples, given.calls), **how)[0]
    for row in rows:
        print(json.dumps(row) if given.json else
              f"{row['bench']:20} {row['ranks']} ranks: C++ {row['cxx']} ns, Python "
              f"{row['python']} ns, {row['more']} ns more")


if __name__ == "__main__":
    sys.exit(main())
