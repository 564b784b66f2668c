# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What upwash raises."""


class Error(RuntimeError):
    """What upwash refuses, or what has happened to the job.

    `kind` is "argument", "configuration", "environment", "system" or "fault", as in C++.
    """

    kind = "fault"


class ArgumentError(Error, ValueError):
    """A call was wrong; nothing has begun."""

    kind = "argument"


class RankStopped(BaseException):
    """Another rank of this process has failed: this one ends. Not to be caught."""


def of_kind(kind, text):
    """The exception of an error of that kind."""
    made = ArgumentError(text) if kind == "argument" else Error(text)
    made.kind = kind
    return made
