# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Traffic and collectives on simulated networks: `upwash simulate`."""

import json
import pathlib
import tempfile

from . import command


class Simulation:
    """What a simulation has seen. `rows` is a list of dicts: of traffic one for each traffic and
    load (load, accepted, latency_avg_ns, latency_p99_ns, packets, ...), of a collective one for
    each algorithm and size (algorithm, bytes, completion_us, ...)."""

    def __init__(self, rows):
        self.rows = rows

    def frame(self):
        """The rows as a pandas frame."""
        return command.frame_of(self.rows)

    def plot(self, ax=None):
        """Draws latency by load, or completion by size. Returns the axes."""
        ax = command.axes_of(ax)
        frame = self.frame()
        if "load" in frame:
            x, y, curve, label = "load", "latency_avg_ns", "traffic", "ns, mean latency"
        else:
            x, y, curve, label = "bytes", "completion_us", "algorithm", "us"
            if curve not in frame:
                curve = "collective" if "collective" in frame else "bench"
            ax.set_xscale("log", base=2)
        for name, part in frame.groupby(curve):
            ax.plot(part[x], part[y], marker="o", label=name)
        ax.set_yscale("log")
        ax.set_xlabel(x)
        ax.set_ylabel(label)
        ax.legend()
        return ax

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        return f"Simulation({len(self.rows)} rows)"


def simulate(**options):
    """Runs `upwash simulate` with these options: topology, traffic (a list: several), load, seed, or
    schedule, ranks, machine, algorithm, bytes, network. Blocks until it is done; several minutes
    for large networks. Returns a Simulation. Raises upwash.Error."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        command.text_of("simulate", *command.options({"quiet": True, **options}), "--json", str(file))
        rows = [json.loads(line) for line in file.read_text().splitlines() if line]
    return Simulation(rows)
