# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the ranks of a traced job did: `upwash trace`."""

import io
import json
import pathlib
import tempfile

from . import command

_PARTS = ("shares", "waits", "collectives", "matrix", "critical")


class Trace:
    """The numbers of a trace. `data` is what `upwash trace --json` prints: ranks, events, us,
    shares, waits, collectives, matrix, critical (docs/traces.md)."""

    def __init__(self, path, data):
        self.path, self.data = path, data

    @property
    def ranks(self):
        """Ranks of the job."""
        return self.data["ranks"]

    def frame(self, part="shares"):
        """One of its tables as a pandas frame: shares (of time, by rank), waits, collectives, matrix
        (who sent to whom), critical (the parts of the critical path)."""
        if part not in _PARTS:
            raise ValueError(f"frame: part is {part!r}: expected one of {', '.join(_PARTS)}")
        return command.frame_of([{k: v for k, v in row.items() if k != "late"}
                                 for row in self.data[part]])

    def messages(self):
        """A row a message as a pandas frame: the columns of `upwash trace --messages`."""
        import pandas
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "messages.csv"
            command.text_of("trace", str(self.path), "--messages", str(file))
            return pandas.read_csv(io.StringIO(file.read_text()))

    def chrome(self, path):
        """Writes the events for ui.perfetto.dev to that file."""
        command.text_of("trace", str(self.path), "--chrome", str(path))

    def matrix(self):
        """Bytes from rank (row) to rank (column), as a numpy array."""
        import numpy
        made = numpy.zeros((self.ranks, self.ranks), dtype=numpy.int64)
        for row in self.data["matrix"]:
            made[row["from"], row["to"]] += row["bytes"]
        return made

    def plot(self, part="shares", ax=None):
        """Draws the shares of time by rank, or part="matrix", who sent how much to whom. Returns
        the axes."""
        ax = command.axes_of(ax)
        if part == "matrix":
            image = ax.imshow(self.matrix())
            ax.figure.colorbar(image, ax=ax, label="bytes")
            ax.set_xlabel("to rank")
            ax.set_ylabel("from rank")
            return ax
        if part != "shares":
            raise ValueError(f"plot: part is {part!r}: expected shares or matrix")
        frame = self.frame("shares")
        below = 0
        for name in ("program_us", "library_us", "wait_us"):
            ax.bar(frame["rank"], frame[name], bottom=below, label=name.removesuffix("_us"))
            below = below + frame[name]
        ax.set_xlabel("rank")
        ax.set_ylabel("us")
        ax.legend()
        return ax

    def __repr__(self):
        return f"Trace({self.path}, {self.ranks} ranks, {self.data['events']} events)"


def trace(path):
    """Reads a trace that `upwash run --trace FILE` wrote. Returns a Trace. Raises upwash.Error."""
    return Trace(path, json.loads(command.text_of("trace", str(path), "--json")))
