# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What tuning has measured and remembers: files of `upwash tune` (docs/tuning.md)."""

import json
import pathlib

from . import command
from .errors import Error

_SITUATION = ("collective", "ranks", "ranks_per_node", "bytes", "addresses", "entry", "exit",
              "commutative", "overlapped", "placement", "processes")


class Tuning:
    """A tuning file. `data` is the file: machine, conduit, findings, streams."""

    def __init__(self, path, data):
        self.path, self.data = path, data

    @property
    def machine(self):
        """Of which machine."""
        return self.data["machine"]

    def frame(self):
        """A row for each algorithm that was measured in a situation, as a pandas frame: the
        situation, algorithm, samples, when, ns (the median time), and best: whether none took less."""
        rows = []
        for finding in self.data["findings"]:
            least = min((one["ns"] for one in finding["results"]), default=None)
            situation = {key: finding[key] for key in _SITUATION if key in finding}
            rows += [{**situation, **one, "best": one["ns"] == least} for one in finding["results"]]
        return command.frame_of(rows)

    def streams(self):
        """A row for each shape of stream, as a pandas frame."""
        return command.frame_of(self.data.get("streams", []))

    def plot(self, collective, ax=None):
        """Draws times of the algorithms of a collective by size. Returns the axes."""
        ax = command.axes_of(ax)
        frame = self.frame()
        if not len(frame) or not (frame["collective"] == collective).any():
            raise ValueError(f"plot: nothing was measured of {collective} in {self.path}")
        for name, part in frame[frame["collective"] == collective].groupby("algorithm"):
            part = part.sort_values("bytes")
            ax.plot(part["bytes"], part["ns"] / 1e3, marker="o", label=name)
        if (frame["bytes"] > 0).any():
            ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xlabel("bytes")
        ax.set_ylabel("us")
        ax.set_title(collective)
        ax.legend()
        return ax

    def __repr__(self):
        return f"Tuning({self.path}, {len(self.data['findings'])} situations)"


def tuning(path):
    """Reads a tuning file. Returns a Tuning. Raises upwash.Error for what is none."""
    try:
        data = json.loads(pathlib.Path(path).read_text())
        schema = data["schema"]
    except (ValueError, KeyError, TypeError):
        raise Error(f"{path}: no tuning file") from None
    if "tuning" not in schema:
        raise Error(f"{path}: no tuning file, its schema is {schema!r}")
    return Tuning(path, data)
