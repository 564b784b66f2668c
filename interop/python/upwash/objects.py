# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls in lower case, which send any object that pickle takes, as mpi4py has them."""

import functools
import operator
import pickle
import time

import numpy as np

from . import _upwash

_FUNCTIONS = {
    "SUM": operator.add, "PROD": operator.mul, "MIN": lambda a, b: b if b < a else a,
    "MAX": lambda a, b: b if a < b else a, "BAND": operator.and_, "BOR": operator.or_,
    "BXOR": operator.xor, "LAND": lambda a, b: bool(a) and bool(b),
    "LOR": lambda a, b: bool(a) or bool(b), "LXOR": lambda a, b: bool(a) != bool(b),
}


def _dumps(what):
    return np.frombuffer(pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL), dtype=np.uint8)


def _length(data):
    return np.array([len(data)], dtype=np.int64)


def combine(op, left, right):
    """`left op right`, of objects. `op`: an Op or any function of two objects."""
    return _FUNCTIONS[op.name](left, right) if isinstance(op, _upwash.Op) else op(left, right)


def barrier(self):
    """As Barrier."""
    self.Barrier()


def bcast(self, obj, root=0):
    """Returns `obj` of `root` at all members. Collective."""
    data = _dumps(obj) if self.rank == root else None
    length = np.array([0 if data is None else len(data)], dtype=np.int64)
    self.Bcast(length, root)
    if data is None:
        data = np.empty(length[0], dtype=np.uint8)
    self.Bcast(data, root)
    return obj if self.rank == root else pickle.loads(data)


def gather(self, obj, root=0):
    """Returns the objects of all members by rank at `root`, None elsewhere. Collective."""
    mine = _dumps(obj)
    if self.rank != root:
        self.Gather(_length(mine), None, root)
        self.Gatherv(mine, None, root)
        return None
    lengths = np.empty(self.size, dtype=np.int64)
    self.Gather(_length(mine), lengths, root)
    all_data = np.empty(lengths.sum(), dtype=np.uint8)
    self.Gatherv(mine, [all_data, lengths], root)
    return _loads_all(all_data, lengths)


def allgather(self, obj):
    """Returns the objects of all members by rank. Collective."""
    mine = _dumps(obj)
    lengths = np.empty(self.size, dtype=np.int64)
    self.Allgather(_length(mine), lengths)
    all_data = np.empty(lengths.sum(), dtype=np.uint8)
    self.Allgatherv(mine, [all_data, lengths])
    return _loads_all(all_data, lengths)


def scatter(self, sendobj, root=0):
    """Returns item i of `sendobj` of `root` at member i. Collective."""
    length = np.empty(1, dtype=np.int64)
    if self.rank != root:
        self.Scatter(None, length, root)
        mine = np.empty(length[0], dtype=np.uint8)
        self.Scatterv(None, mine, root)
        return pickle.loads(mine)
    items = list(sendobj)
    if len(items) != self.size:
        raise _upwash_error(f"scatter: {len(items)} objects for {self.size} members")
    parts = [_dumps(item) for item in items]
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    self.Scatter(lengths, length, root)
    mine = np.empty(length[0], dtype=np.uint8)
    self.Scatterv([np.concatenate(parts), lengths], mine, root)
    return items[root]


def alltoall(self, sendobj):
    """Returns a list: item j is item `rank` of `sendobj` of member j. Collective."""
    items = list(sendobj)
    if len(items) != self.size:
        raise _upwash_error(f"alltoall: {len(items)} objects for {self.size} members")
    parts = [_dumps(item) for item in items]
    sent = np.array([len(part) for part in parts], dtype=np.int64)
    received = np.empty_like(sent)
    self.Alltoall(sent, received)
    data = np.empty(received.sum(), dtype=np.uint8)
    self.Alltoallv([np.concatenate(parts), sent], [data, received])
    return _loads_all(data, received)


def reduce(self, sendobj, op=_upwash.SUM, root=0):
    """Returns the combination of all objects, in the order of the ranks, at `root`. Collective."""
    gathered = gather(self, sendobj, root)
    return None if gathered is None else functools.reduce(functools.partial(combine, op), gathered)


def allreduce(self, sendobj, op=_upwash.SUM):
    """Returns the combination of all objects, in the order of the ranks, at all. Collective."""
    return functools.reduce(functools.partial(combine, op), allgather(self, sendobj))


def scan(self, sendobj, op=_upwash.SUM):
    """Returns the combination of the objects of the members 0 to the own. Collective."""
    upto = allgather(self, sendobj)[:self.rank + 1]
    return functools.reduce(functools.partial(combine, op), upto)


def exscan(self, sendobj, op=_upwash.SUM):
    """As scan of the members before the own; None at member 0. Collective."""
    before = allgather(self, sendobj)[:self.rank]
    return functools.reduce(functools.partial(combine, op), before) if before else None


def send(self, obj, dest, tag=0):
    """Sends `obj` to member `dest`. Blocks until it is on its way."""
    self._send_pickle(_dumps(obj), dest, tag)


def ssend(self, obj, dest, tag=0):
    """As send, but blocks until it is received."""
    self._ssend_pickle(_dumps(obj), dest, tag)


def isend(self, obj, dest, tag=0):
    """Starts a send. `obj` may be changed at once. Returns a Request."""
    return self._isend_pickle(_dumps(obj), dest, tag)


def recv(self, buf=None, source=-1, tag=-1, status=None):
    """Returns the next object that a send of `source` with `tag` sent. Blocks. `buf` is ignored."""
    return pickle.loads(self._recv_bytes(source, tag, True, status))


def irecv(self, buf=None, source=-1, tag=-1):
    """Starts a recv. Returns an ObjectRequest. `buf` is ignored.

    The message is taken when the request is waited for or tested; a recv that fits it, too, and is
    called before, gets it first.
    """
    return ObjectRequest(self, source, tag)


def sendrecv(self, sendobj, dest, sendtag=0, recvbuf=None, source=-1, recvtag=-1, status=None):
    """Sends and receives at once. Returns the object received. `recvbuf` is ignored."""
    going = isend(self, sendobj, dest, sendtag)
    came = recv(self, None, source, recvtag, status)
    going.wait()
    return came


def probe(self, source=-1, tag=-1, status=None):
    """As Probe."""
    return self.Probe(source, tag, status)


def iprobe(self, source=-1, tag=-1, status=None):
    """As Iprobe."""
    return self.Iprobe(source, tag, status)


class ObjectRequest:
    """A recv of an object under way, as irecv returns it."""

    def __init__(self, team, source, tag):
        self._team, self._source, self._tag = team, source, tag
        self._status = _upwash.Status()
        self._data = None

    def wait(self, status=None):
        """Blocks. Returns the object; fills `status` in."""
        if self._data is None:
            self._data = self._team._recv_bytes(self._source, self._tag, True, self._status)
        if status is not None:
            status._fill(self._status)
        return pickle.loads(self._data)

    def test(self):
        """(whether it has come, the object or None). Does not block."""
        if self._data is None:
            self._data = self._team._recv_bytes(self._source, self._tag, False, self._status)
        return (False, None) if self._data is None else (True, pickle.loads(self._data))

    @property
    def done(self):
        """Whether it has come, when last looked at."""
        return self._data is not None

    @property
    def status(self):
        """The Status of the message once it has come, else None."""
        return None if self._data is None else self._status


def _loads_all(data, lengths):
    ends = np.cumsum(lengths)
    return [pickle.loads(data[end - length:end]) for end, length in zip(ends, lengths)]


def _upwash_error(text):
    from .errors import ArgumentError
    return ArgumentError(text)


def wait_all(requests):
    """Blocks until all are complete. Returns what their waits return, as a list."""
    return [one.wait() for one in requests]


def wait_any(requests):
    """Blocks until one that was not complete is. Returns its index, or None where all are."""
    waiting = [i for i, one in enumerate(requests) if not one.done]
    while waiting:
        for i in waiting:
            found = requests[i].test()
            if found is True or (isinstance(found, tuple) and found[0]):
                return i
        time.sleep(0)
    return None


def _wait(self, status=None):
    """As wait; fills `status` in. Returns True."""
    self.wait()
    if status is not None and self.status is not None:
        status._fill(self.status)
    return True


def add_to(team, request, op):
    """Makes the functions above methods, and gives Request mpi4py's names."""
    for method in (barrier, bcast, gather, allgather, scatter, alltoall, reduce, allreduce, scan,
                   exscan, send, ssend, isend, recv, irecv, sendrecv, probe, iprobe):
        setattr(team, method.__name__, method)
    request.Wait = _wait
    request.Test = lambda self: self.test()
    request.Waitall = staticmethod(wait_all)
    request.Waitany = staticmethod(wait_any)
    op.__call__ = combine
