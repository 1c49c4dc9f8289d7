"""What happened in time, as arrays by name: of a simulation in memory, or of a run file."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Optional

import numpy as np

from ._calls import ArgumentError, Context, copied, ffi, lib, numbers, path_bytes, text
from ._multiplicity import drawn
from ._shown import Shown, number
from ._solve import word


def _dtype_of(c_type: str) -> np.dtype:
    """The NumPy type of a C struct, field by field."""
    scalars = {"int": "i4", "enum ss_state": "i4", "uint64_t": "u8", "double": "f8"}
    fields: Dict[str, list] = {"names": [], "formats": [], "offsets": []}
    for name, field in ffi.typeof(c_type).fields:
        kind = field.type
        one = kind.item if kind.kind == "array" else kind
        shape = (kind.length,) if kind.kind == "array" else ()
        fields["names"].append(name)
        fields["formats"].append((scalars[one.cname], shape))
        fields["offsets"].append(field.offset)
    return np.dtype({**fields, "itemsize": ffi.sizeof(c_type)})


CONTACT = _dtype_of("ss_sim_contact")


def table(pointer: Any, rows: int, cols: int) -> np.ndarray:
    found = copied(pointer, rows * cols) if rows else None
    return np.empty((0, cols)) if found is None else found.reshape(rows, cols)


_STEP = "time h contacts active solves iterations parts unsolved error penetration speed".split()
_WORK = {"kinetic": "kinetic", "potential": "potential", "elastic": "elastic", "work_contact": "contact",
         "work_external": "external", "work_correction": "correction", "work_integrator": "integrator",
         "work_joint": "joint", "work_element": "element"}
_FRAME = "step time pose velocity external_pose joint_impulse joint_motion".split()
_WHOLE = "contacts active solves iterations parts unsolved".split()


class Run(Shown, Mapping):
    """What happened, as arrays by name, those of a run file (docs/formats-run.md): `steps/time`, `steps/error`,
    `steps/kinetic`, ... with a row for each step; `frames/time`, `frames/pose` (frames, bodies, 7), `frames/velocity`
    (frames, bodies, 6), ... with a row for each saved state; `contacts`, a table for each saved state in a list.

    >>> import stickslip
    >>> run = stickslip.simulate("house-of-cards", duration=0.05)
    >>> run["frames/pose"].shape[2], len(run["steps/time"]) == run.simulation.totals["steps"]
    (7, True)
    """

    simulation: Any = None
    path: Optional[str] = None

    def __init__(self, arrays: Dict[str, Any], names: List[str], end: Optional[str]) -> None:
        self._arrays, self.names, self.end = arrays, names, end

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def _title(self) -> str:
        return f"{len(self['steps/time'])} steps, {len(self['frames/time'])} saved states"

    def _facts(self) -> Any:
        times = self["steps/time"]
        error = self["steps/error"]
        return [("time", number(times[-1] if len(times) else 0.0)), ("ended by", self.end),
                ("unsolved steps", int((self["steps/unsolved"] > 0).sum())),
                ("largest error", number(error.max() if len(error) else 0.0))]

    def svg(self, picture: str = "scene", time: float = float("nan"), title: str = "") -> str:
        """Of a run in a file: "scene" (bodies and force chains at a time; the last), "energy", "contacts", "forces", ..."""
        if self.path is None:
            raise ArgumentError("svg: the run is in memory only, expected one with a file: simulate(..., output='run.h5')")
        kind, run = word(lib.ss_run_picture_name, picture, "picture"), _open_run(self.path)
        return drawn(lambda context, out: lib.ss_run_svg(context, run, kind, time, title.encode(), out))

    def _drawing(self) -> Optional[str]:
        return self.svg() if self.path is not None else None


class Log:
    """Collects the run of a Simulation step by step."""

    def __init__(self, sim: Any, every: int) -> None:
        self.sim, self.every = sim, every
        self.rows: Dict[str, list] = {name: [] for name in [*_STEP, *_WORK]}
        self.frames: Dict[str, list] = {name: [] for name in _FRAME}
        self.contacts: List[np.ndarray] = []
        self.frame()

    def frame(self) -> None:
        sim = self.sim
        values = (sim._view.step, sim.time, sim.poses, np.hstack([sim.velocities, sim.spins]), sim.external_poses,
                  sim.joint_impulses, table(sim._view.joint_motion, sim._view.joint_count, 4))
        for name, value in zip(_FRAME, values):
            self.frames[name].append(value)
        self.contacts.append(sim.contacts)

    def add(self, step: Any) -> None:
        for name in _STEP:
            self.rows[name].append(getattr(step, name))
        energy = self.sim.energy
        for name, field in _WORK.items():
            self.rows[name].append(energy[field])
        if self.sim._view.step % self.every == 0 or self.sim.done:
            self.frame()

    def finish(self) -> Run:
        arrays: Dict[str, Any] = {f"steps/{name}": np.array(x) for name, x in self.rows.items()}
        arrays.update({f"frames/{name}": np.array(x) for name, x in self.frames.items()})
        arrays["contacts"] = self.contacts
        run = Run(arrays, self.sim.names, self.sim.end)
        run.simulation = self.sim
        return run


def _open_run(path: Any, isolate: bool = False) -> Any:
    context, out = Context(), ffi.new("ss_run **")
    if isolate:
        context.check(lib.ss_run_check(context.c, path_bytes(path)))
    context.check(lib.ss_run_open(context.c, path_bytes(path), out))
    return context.own(out[0], lib.ss_run_close)


def read_run(path: Any, *, isolate: bool = True) -> Run:
    """A run file, or the parts of one that is going on or was cut short. Its `names` are not known. isolate: all of it is
    read in a child process first, so that a crash inside libhdf5 is an error."""
    run = _open_run(path, isolate)
    size, context = lib.ss_run_get_size(run), Context()
    arrays: Dict[str, Any] = {}
    for name in [*_STEP, *_WORK]:
        column = np.empty(size.steps)
        if lib.ss_run_read_steps(run, name.encode(), numbers(column)):
            continue  # a run of an older version has fewer
        arrays[f"steps/{name}"] = column.astype(int) if name in _WHOLE else column
    frames: Dict[str, list] = {name: [] for name in _FRAME}
    contacts, frame = [], ffi.new("ss_run_frame *")
    for k in range(size.frames):
        context.check(lib.ss_run_read_frame(run, k, frame))
        values = (frame.step, frame.time, table(frame.pose, size.bodies, 7), table(frame.velocity, size.bodies, 6),
                  table(frame.external_pose, size.externals, 7), table(frame.joint_impulse, size.joints, 6),
                  table(frame.joint_motion, size.joints if frame.joint_motion else 0, 4))
        for name, value in zip(_FRAME, values):
            frames[name].append(value)
        contacts.append(copied(frame.contacts, frame.contact_count, CONTACT) if frame.contact_count else np.empty(0, CONTACT))
    arrays.update({f"frames/{name}": np.array(x) for name, x in frames.items()})
    arrays["contacts"] = contacts
    found = Run(arrays, [], text(size.end))
    found.path = os.fspath(path)
    return found
