# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of collectives, and their prices on machines: `upwash schedule`."""

from . import command


class Schedules:
    """What one algorithm does, by rank, or what all algorithms of a collective take.

    `rows` is a list of dicts: of one algorithm rank, messages, bytes, rounds, steps (where they are
    few) and, on a machine, cpu_ns and completion_ns; of all algorithms algorithm, doc, source and,
    on a machine, completion_ns, cpu_most_ns and chosen, cheapest first.
    """

    def __init__(self, collective, algorithm, rows, words):
        self.collective, self.algorithm, self.rows = collective, algorithm, rows
        self._words = words

    def frame(self):
        """A row a rank, or an algorithm, as a pandas frame. Steps: see `steps`."""
        return command.frame_of([{k: v for k, v in row.items() if k != "steps"}
                                 for row in self.rows])

    def steps(self):
        """A row a step: rank, step, kind, round, peer, bytes. Of one algorithm."""
        return command.frame_of([{"rank": row["rank"], "step": number, **step}
                                 for row in self.rows
                                 for number, step in enumerate(row.get("steps", []))])

    def svg(self):
        """The drawing of `upwash schedule --svg`, as text. Of one algorithm."""
        return command.text_of(*self._words, "--svg")

    def plot(self, ax=None):
        """Draws times by rank, or by algorithm; messages by rank where no machine prices them.
        Returns the axes."""
        ax = command.axes_of(ax)
        frame = self.frame()
        if self.algorithm is None:
            if "completion_ns" not in frame:
                raise ValueError("plot: give schedule() a machine, which the algorithms are priced on")
            priced = frame.dropna(subset=["completion_ns"])
            ax.barh(priced["algorithm"], priced["completion_ns"] / 1e3)
            ax.invert_yaxis()
            ax.set_xlabel("us")
            ax.set_title(self.collective)
            return ax
        timed = "completion_ns" in frame
        ax.bar(frame["rank"], frame["completion_ns"] / 1e3 if timed else frame["messages"])
        ax.set_xlabel("rank")
        ax.set_ylabel("us" if timed else "messages")
        ax.set_title(f"{self.collective} {self.algorithm}")
        return ax

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        of = self.algorithm or "all algorithms"
        return f"Schedules({self.collective}, {of}, {len(self.rows)} rows)"


def schedule(collective, *, ranks=None, algorithm=None, bytes=None, machine=None, **options):
    """What an algorithm of a collective does, or without `algorithm` what all of them take.

    `machine` prices it: a name (`edr`) or a file. Other keywords are options of `upwash schedule`:
    ranks_per_node, root, rank, mechanism, eager, in_place, ... Raises upwash.Error.
    """
    words = ["schedule", collective, *command.options(
        {"ranks": ranks, "algorithm": algorithm, "bytes": bytes, "machine": machine, **options})]
    return Schedules(collective, algorithm, command.lines_of(*words, "--json"), words)
