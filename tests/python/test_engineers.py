# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Schedules, prices, simulations, traces and tuning data as objects and frames."""

import json

import matplotlib
import pytest

import upwash

matplotlib.use("Agg")
pandas = pytest.importorskip("pandas")


def test_schedules():
    one = upwash.schedule("broadcast", ranks=8, algorithm="knomial:k=2", bytes="64k", machine="edr")
    frame = one.frame()
    assert len(one) == len(frame) == 8 and frame["rank"].tolist() == list(range(8))
    assert frame["messages"].sum() == 7 and (frame["completion_ns"] > 0).all()
    steps = one.steps()
    assert set(steps["kind"]) <= {"send", "receive", "copy", "put", "wait", "signal"}
    assert (steps[steps["kind"] == "send"]["bytes"] == 65536).all()
    assert one.svg().startswith("<svg") or "<svg" in one.svg()
    assert len(one.plot().patches) == 8
    unpriced = upwash.schedule("barrier", ranks=4, algorithm="dissemination")
    assert unpriced.plot().get_ylabel() == "messages"


def test_prices():
    all_of_them = upwash.schedule("all_reduce", ranks=64, bytes=8, machine="edr", free_work=True)
    frame = all_of_them.frame()
    assert (frame["chosen"]).sum() >= 1 and len(frame) > 3
    priced = frame.dropna(subset=["completion_ns"])
    assert priced["completion_ns"].is_monotonic_increasing
    assert all_of_them.plot().get_xlabel() == "us"
    assert "algorithm" in upwash.schedule("barrier").frame()
    with pytest.raises(ValueError, match="give schedule.. a machine"):
        upwash.schedule("barrier").plot()
    with pytest.raises(upwash.ArgumentError, match="nothing"):
        upwash.schedule("nothing")


def test_simulations():
    seen = upwash.simulate(topology="mesh:size=4x4", traffic=["uniform", "transpose"], load=0.3,
                           packets=200, warm_up=50)
    frame = seen.frame()
    assert sorted(frame["traffic"]) == ["transpose", "uniform"]
    assert (frame["latency_avg_ns"] > 0).all() and len(seen.plot().lines) == 2
    by_schedule = upwash.simulate(schedule="broadcast", ranks=16, machine="edr",
                                  algorithm=["knomial:k=2", "chain"], bytes="8:64k:x8",
                                  network="message")
    frame = by_schedule.frame()
    assert set(frame["algorithm"]) == {"knomial:k=2", "chain"} or len(set(frame["algorithm"])) == 2
    assert len(by_schedule.plot().lines) == 2
    with pytest.raises(upwash.ArgumentError):
        upwash.simulate(topology="none-such")


def test_traces(launch, tmp_path):
    file = tmp_path / "ring.trace"
    launch("""
import numpy as np, upwash
with upwash.attach() as job:
    for _ in range(10):
        job.world.Allreduce(np.ones(1000), np.zeros(1000))
        job.world.Sendrecv(np.ones(10), (job.rank + 1) % job.size, 0, np.ones(10))
""", "-n", "3", "--trace", str(file))
    seen = upwash.trace(file)
    assert seen.ranks == 3 and "3 ranks" in repr(seen)
    assert seen.frame()["rank"].tolist() == [0, 1, 2]
    names = seen.frame("collectives")["name"].tolist()
    assert any(name.startswith("all_reduce") and "program.py:5" in name for name in names)
    assert seen.matrix().shape == (3, 3)
    assert len(seen.messages()) > 0
    seen.chrome(tmp_path / "events.json")
    assert json.loads((tmp_path / "events.json").read_text())
    assert len(seen.plot().patches) == 9 and seen.plot("matrix").images
    with pytest.raises(ValueError, match="expected one of"):
        seen.frame("nothing")
    with pytest.raises(upwash.Error):
        upwash.trace(tmp_path / "events.json")


def test_tunings(tmp_path):
    file = tmp_path / "shm.json"
    situation = {"collective": "barrier", "ranks": 4, "ranks_per_node": 4, "bytes": 0,
                 "addresses": "local", "entry": "mine", "exit": "mine", "commutative": True,
                 "overlapped": False, "placement": "near", "seconds": 1.0, "candidates": 2}
    results = [{"algorithm": name, "samples": 5, "when": 1, "ns": ns}
               for name, ns in (("dissemination", 900.0), ("central", 700.0))]
    file.write_text(json.dumps({"schema": "upwash-tuning", "version": 1, "upwash": "0.1.0",
                                "machine": "laptop", "conduit": "shm",
                                "findings": [{**situation, "results": results}]}))
    seen = upwash.tuning(file)
    frame = seen.frame()
    assert seen.machine == "laptop" and len(frame) == 2
    assert frame[frame["best"]]["algorithm"].tolist() == ["central"]
    assert len(seen.plot("barrier").lines) == 2 and len(seen.streams()) == 0
    with pytest.raises(ValueError, match="nothing was measured of broadcast"):
        seen.plot("broadcast")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(upwash.Error, match="no tuning file"):
        upwash.tuning(tmp_path / "other.json")
