"""Rigid bodies in time, step by step or to the end."""
from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ._calls import ArgumentError, Context, copied, ffi, fill, lib, name_of, numbers, path_bytes, text
from ._problem import Problem, _made
from ._runs import CONTACT, Log, Run, read_run, table
from ._shown import Shown, number

# ---- scenes ---------------------------------------------------------------------------------------


def scenes() -> Dict[str, str]:
    """The scenes that come with the library: name, and a line about each.

    >>> import stickslip
    >>> "house-of-cards" in stickslip.scenes()
    True
    """
    return {name: about for name, about, _ in _builtin()}


def _builtin() -> Iterator[Tuple[str, str, str]]:
    k, about, words = 0, ffi.new("const char **"), ffi.new("const char **")
    while True:
        name = lib.ss_scene_builtin(k, about, words)
        if not name:
            return
        yield text(name), text(about[0]), text(words[0])
        k += 1


def _scene_text(scene: Any) -> Tuple[str, str]:
    """(name, JSON) of a dict, JSON text, the name of a scene that comes with the library, or a file."""
    if isinstance(scene, Mapping):
        return "scene", json.dumps(scene)
    if isinstance(scene, str) and scene.lstrip().startswith("{"):
        return "scene", scene
    for name, _, words in _builtin():
        if scene == name:
            return name, words
    if isinstance(scene, str) and not os.path.exists(scene) and os.sep not in scene and "." not in scene:
        raise ArgumentError(f"scene: found {scene!r}, expected a file, a dict, JSON text, or one of {', '.join(scenes())}")
    with open(scene, encoding="utf-8") as file:
        return os.fspath(scene), file.read()


# ---- steps ----------------------------------------------------------------------------------------


@dataclasses.dataclass(repr=False)
class Step(Shown):
    """One step: contacts, work, error, and how it went."""

    time: float
    h: float
    contacts: int
    active: int
    solves: int
    iterations: int
    parts: int
    unsolved: int
    status: str
    error: float
    penetration: float
    speed: float
    time_s: float

    def __bool__(self) -> bool:
        return self.unsolved == 0

    def _title(self) -> str:
        return f"t = {self.time:.6g}, {self.status}"

    def _facts(self) -> Any:
        return [("contacts", self.contacts), ("active", self.active), ("error", number(self.error))]


@dataclasses.dataclass(repr=False)
class Joint(Shown):
    """A joint now, and its mean forces in the last step: force and moment about the anchor on body a, which hold the two
    together; motor and limit along the coordinate."""

    name: str
    kind: str
    a: int
    b: int
    anchor: np.ndarray
    axis: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    moves: bool
    coordinate: float
    rate: float
    motor: float
    limit: float

    def _title(self) -> str:
        return f"{self.name}, {self.kind}"

    def _facts(self) -> Any:
        return [("coordinate", number(self.coordinate)), ("rate", number(self.rate)), ("motor", number(self.motor)),
                ("limit", number(self.limit)), ("force", number(float(np.linalg.norm(self.force))))]


class Simulation(Shown):
    """Rigid bodies in time: every step is solved and verified. The scene is a dict or JSON text (docs/scenes.md), a file,
    or the name of one that comes with the library; step, duration, tol and method take the place of its own.

    Arrays that it gives are copies: they stay as they are when it steps on. Loads that are set hold until they are set
    again, so that a controller is a loop:

    >>> import stickslip
    >>> sim = stickslip.Simulation({"dim": 2, "materials": [{"name": "m", "mu": 0.5}],
    ...     "bodies": [{"name": "box", "shape": {"kind": "box", "size": [1, 1]}, "mass": 1, "position": [0, 0.5]}],
    ...     "externals": [{"shape": {"kind": "plane"}}], "stepping": {"step": 0.01, "duration": 1}})
    >>> for k in range(100):
    ...     speed = sim.velocities[0, 0]
    ...     sim.set_load("box", force=[0.5 * 9.81 + 5 * (0.2 - speed), 0])
    ...     info = sim.step()
    >>> round(float(sim.velocities[0, 0]), 2), sim.contacts["state"].tolist()
    (0.2, [2, 2])
    """

    def __init__(self, scene: Any, *, step: Optional[float] = None, duration: Optional[float] = None,
                 tol: Optional[float] = None, method: Optional[str] = None) -> None:
        self.name, self.scene_text = _scene_text(scene)
        self._context, out, data = Context(), ffi.new("ss_scene **"), self.scene_text.encode()
        self._context.check(lib.ss_scene_parse(self._context.c, self.name.encode(), data, len(data), out))
        self._scene = self._context.own(out[0], lib.ss_scene_close)
        self._kept = method and ffi.new("char[]", method.encode())
        for target, field, value in ((self._scene.stepping, "step", step), (self._scene.stepping, "duration", duration),
                                     (self._scene.solver, "tol", tol), (self._scene.solver, "method", self._kept)):
            if value is not None:
                setattr(target, field, value)
        sim = ffi.new("ss_simulation **")
        self._context.check(lib.ss_simulation_create(self._context.c, self._scene, sim))
        self._c, self._view = self._context.own(sim[0], lib.ss_simulation_destroy), ffi.new("ss_sim_state *")
        self._see()
        self.names = [self._name(k) for k in range(self._view.body_count)]
        self.external_names = [self._name(lib.SS_EXTERNAL - k) for k in range(self._view.external_count)]
        self.joint_names = [text(self._scene.joints[k].name) or f"joint {k}" for k in range(self._view.joint_count)]

    def _name(self, which: int) -> str:
        name = ffi.new("char[]", 256)
        lib.ss_simulation_name(self._c, which, name, 256)
        return text(name)

    def _see(self) -> None:
        lib.ss_simulation_state(self._c, self._view)

    # ---- stepping

    def step(self) -> Step:
        """One step. One that is not solved is an answer: Step.unsolved, and `done` where the scene stops there."""
        info = ffi.new("ss_step_info *")
        error = lib.ss_simulation_step(self._c, info)
        self._see()
        self._context.check(error)
        self._info = info
        return fill(Step, info, status=name_of(lib.ss_status_name, info.status))

    def set_load(self, body: Any, force: Any = (0, 0, 0), moment: Any = (0, 0, 0)) -> None:
        """Force at the centre of mass and moment on a body (its name or number), world axes, from the next step on until it
        is set again. In the plane two numbers, and one."""
        self._set(lib.ss_simulation_set_load, _index(self.names, body), force, moment)

    def set_motion(self, external: Any, velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0)) -> None:
        """An external object (its name or number) goes on from where it is with a velocity and a spin about the origin of
        its frame, world axes, whatever the scene says of it, until it is set again. In the plane two numbers, and one."""
        self._set(lib.ss_simulation_set_motion, _index(self.external_names, external), velocity, spin)

    def set_target(self, joint: Any, target: float, rate: float = 0) -> None:
        """The target of a joint's motor (its name or number): a rate, or of a servo a coordinate and its rate, from the next
        step on until it is set again."""
        self._context.check(lib.ss_simulation_set_target(self._c, self._joint(joint), target, rate))

    def _joint(self, which: Any) -> int:
        return _index(self.joint_names, which)

    def _set(self, call: Any, index: int, linear: Any, angular: Any) -> None:
        full = [np.zeros(3), np.zeros(3)]
        for to, x in zip(full, (linear, [0, 0, angular] if np.ndim(angular) == 0 else angular)):
            x = np.asarray(x, float)
            if x.ndim != 1 or not 2 <= x.size <= 3:
                raise ArgumentError(f"found {x.tolist()}, expected {self.dim} numbers")
            to[: x.size] = x
        self._context.check(call(self._c, index, numbers(full[0]), numbers(full[1])))

    def run(self, *, every: Optional[int] = None, until: Optional[Callable[["Simulation"], Any]] = None,
            steps: Optional[int] = None) -> Run:
        """Steps to the end (or `steps` of them, or until until(self) is true) and returns what happened. every: steps between
        saved states (the scene's own)."""
        log = Log(self, every or self._scene.output.every or 1)
        taken = 0
        while not self.done and (steps is None or taken < steps) and not (until is not None and until(self)):
            log.add(self.step())
            taken += 1
        return log.finish()

    # ---- what is there now

    @property
    def done(self) -> bool:
        return bool(lib.ss_simulation_done(self._c))

    @property
    def end(self) -> Optional[str]:
        """'rest', 'duration', 'unsolved'; None while it is not done."""
        return text(lib.ss_simulation_end(self._c))

    @property
    def dim(self) -> int:
        return self._view.dim

    @property
    def time(self) -> float:
        return self._view.time

    @property
    def poses(self) -> np.ndarray:
        """Centre of mass and unit quaternion w, x, y, z of each body (bodies, 7)."""
        return table(self._view.pose, self._view.body_count, 7)

    @property
    def positions(self) -> np.ndarray:
        return self.poses[:, :3]

    @property
    def angles(self) -> np.ndarray:
        """In the plane: how far each body has turned, within half a turn either way."""
        q = self.poses[:, 3:]
        angle = 2 * np.arctan2(q[:, 3], q[:, 0])
        return (angle + np.pi) % (2 * np.pi) - np.pi

    @property
    def velocities(self) -> np.ndarray:
        """Of the centres of mass, world axes (bodies, 3)."""
        return table(self._view.velocity, self._view.body_count, 3)

    @property
    def spins(self) -> np.ndarray:
        """Angular velocities, world axes (bodies, 3)."""
        return table(self._view.spin, self._view.body_count, 3)

    @property
    def external_poses(self) -> np.ndarray:
        return table(self._view.external_pose, self._view.external_count, 7)

    @property
    def contacts(self) -> np.ndarray:
        """Of the last step: a, b, key, point, normal, gap, impulse, velocity, state (0 free, 1 stick, 2 slip)."""
        found = copied(self._view.contacts, self._view.contact_count, CONTACT) if self._view.contact_count else None
        return np.empty(0, CONTACT) if found is None else found

    @property
    def joint_impulses(self) -> np.ndarray:
        """Force and moment part on body a, of the last step (joints, 6)."""
        return table(self._view.joint_impulse, self._view.joint_count, 6)

    def joint(self, which: Any) -> Joint:
        """A joint (its name or number) as sensors at it see it: coordinate, rate, forces.

        >>> import stickslip
        >>> sim = stickslip.Simulation({"dim": 2, "materials": [{"name": "m", "mu": 0.5}],
        ...     "bodies": [{"name": "rod", "shape": {"kind": "box", "size": [1, 0.1]}, "mass": 2, "position": [0.5, 0]}],
        ...     "joints": [{"name": "elbow", "kind": "hinge", "a": "rod", "anchor": [0, 0],
        ...         "motor": {"kind": "position", "target": 0, "stiffness": 1000, "damping": 50}}],
        ...     "stepping": {"step": 0.01, "duration": 1}})
        >>> sim.set_target("elbow", 0.5)
        >>> for k in range(100):
        ...     info = sim.step()
        >>> elbow = sim.joint("elbow")
        >>> round(elbow.coordinate, 3), round(elbow.motor, 2), round(1000 * (0.5 - elbow.coordinate), 2)
        (0.491, 8.65, 8.65)
        """
        found = ffi.new("ss_sim_joint *")
        index = self._joint(which)
        self._context.check(lib.ss_simulation_joint(self._c, index, found))
        return fill(Joint, found, name=self.joint_names[index], kind=name_of(lib.ss_joint_kind_name, found.kind),
                    **{key: np.array(list(getattr(found, key))) for key in ("anchor", "axis", "force", "moment")})

    def contact_force(self, body: Any, by: Any = None) -> np.ndarray:
        """The sum of contact forces on a body (its name or number), of all it touches, or by another body or an external
        object; world axes, the mean of the last step."""
        other = lib.SS_ANYTHING if by is None else self._side(by)
        force = np.zeros(3)
        self._context.check(lib.ss_simulation_contact_force(self._c, _index(self.names, body), other, numbers(force)))
        return force

    def _side(self, which: Any) -> int:
        """A body by name or number, or an external object by name."""
        if isinstance(which, str) and which not in self.names:
            return lib.SS_EXTERNAL - _index(self.external_names, which)
        return _index(self.names, which)

    def point(self, body: Any, at: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Where a point of a body is, and its velocity; `at` in the frame of the body's shape, in the plane two numbers."""
        own, position, velocity = np.zeros(3), np.zeros(3), np.zeros(3)
        own[: len(at)] = at
        self._context.check(lib.ss_simulation_point(self._c, _index(self.names, body), numbers(own), numbers(position),
                                                    numbers(velocity)))
        return position, velocity

    @property
    def coordinates(self) -> np.ndarray:
        """Of the joints: angle of a hinge, turns counted, or displacement of a slider, 0 at t = 0 (joints)."""
        return table(self._view.joint_motion, self._view.joint_count, 4)[:, 0]

    @property
    def rates(self) -> np.ndarray:
        """Of the coordinates (joints)."""
        return table(self._view.joint_motion, self._view.joint_count, 4)[:, 1]

    @property
    def motor_forces(self) -> np.ndarray:
        """Mean force of each joint's motor in the last step, along its coordinate (hinge: moment) (joints)."""
        return table(self._view.joint_motion, self._view.joint_count, 4)[:, 2]

    @property
    def element_forces(self) -> np.ndarray:
        """Springs, dampers, bushings: mean force of the last step, as b feels it (elements, 6)."""
        return table(self._view.element_force, self._view.element_count, 6)

    @property
    def energy(self) -> Dict[str, float]:
        return self._numbers("ss_energy", lib.ss_simulation_energy)

    @property
    def totals(self) -> Dict[str, float]:
        return self._numbers("ss_sim_totals", lib.ss_simulation_totals)

    def _numbers(self, kind: str, call: Any) -> Dict[str, float]:
        found = ffi.new(f"{kind} *")
        call(self._c, found)
        return {name: getattr(found, name) for name, _ in ffi.typeof(kind).fields}

    def problem(self) -> Optional[Problem]:
        """A copy of the friction problem that was solved last; None before the first step."""
        c = lib.ss_simulation_problem(self._c, ffi.NULL, ffi.NULL)
        return _made(lambda context, out: lib.ss_problem_copy(context, c, out)) if c else None

    # ---- checkpoints

    def save(self) -> bytes:
        """Everything that the next steps depend on."""
        data, size = ffi.new("const void **"), ffi.new("size_t *")
        self._context.check(lib.ss_simulation_save(self._c, data, size))
        return bytes(ffi.buffer(data[0], size[0]))

    def load(self, checkpoint: bytes) -> None:
        """Goes on from a checkpoint of the same scene, bit for bit as the one that saved it."""
        self._context.check(lib.ss_simulation_load(self._c, checkpoint, len(checkpoint)))
        self._see()

    def _title(self) -> str:
        return f"{self.name}, {len(self.names)} bodies, t = {self.time:.6g}"


def _index(names: List[str], which: Any) -> int:
    if isinstance(which, str):
        if which not in names:
            raise ArgumentError(f"found {which!r}, expected one of {', '.join(names[:20])}")
        return names.index(which)
    return int(which)


def simulate(scene: Any, *, output: Any = None, every: Optional[int] = None, overwrite: bool = False, resume: bool = False,
             progress: Optional[Callable[[Step], Any]] = None, **options: Any) -> Run:
    """Simulates a scene to its end. Options are those of Simulation: step, duration, tol, method. output: a run file, which
    Ctrl-C leaves to be resumed (resume=True). progress(step): true stops.

    >>> import stickslip
    >>> run = stickslip.simulate("house-of-cards", duration=0.02)
    >>> run.end, run["steps/unsolved"].sum()
    ('duration', 0)
    """
    sim = Simulation(scene, **options)
    if output is not None:
        return _simulate_to_file(sim, output, every, overwrite, resume, progress)
    log = Log(sim, every or sim._scene.output.every or 1)
    while not sim.done:
        step = sim.step()
        log.add(step)
        if progress is not None and progress(step):
            break
    return log.finish()


def _simulate_to_file(sim: Simulation, output: Any, every: Optional[int], overwrite: bool, resume: bool, progress: Any) -> Run:
    context, out, o = sim._context, ffi.new("ss_run_writer **"), ffi.new("ss_run_options *", lib.ss_run_options_default())
    o.mode = lib.SS_RUN_RESUME if resume else lib.SS_RUN_OVERWRITE if overwrite else lib.SS_RUN_NEW
    if every:
        sim._scene.output.every = every
    path = path_bytes(output)
    context.check(lib.ss_run_begin(context.c, path, sim._scene, sim.scene_text.encode(), sim._c, o, out))
    writer, whole = out[0], True
    try:
        sim._see()
        while not sim.done:
            whole = False  # until the step has its row: Ctrl-C may come at any line
            step = sim.step()
            context.check(lib.ss_run_append(writer, sim._c, sim._info))
            whole = True
            if progress is not None and progress(step):
                break
        if sim.done:
            context.check(lib.ss_run_finish(writer, sim._c))
        else:
            context.check(lib.ss_run_save(writer, sim._c))
    except BaseException:
        if whole:
            lib.ss_run_save(writer, sim._c)
        raise
    finally:
        lib.ss_run_end(writer)
    return read_run(output)
