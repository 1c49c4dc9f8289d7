"""Motors and limits of joints, targets set between steps, sensors; and random chains that keep what they promise."""
import math
import pathlib
import tempfile
import unittest

import numpy as np

import stickslip

G = 9.81
STEEL = [{"name": "steel", "mu": 0.5}]
ROD = {"name": "rod", "shape": {"kind": "box", "size": [1, 0.1]}, "mass": 2, "position": [0.5, 0]}


def arm(motor=None, **joint):
    """A rod on a hinge at its end."""
    hinge = {"name": "elbow", "kind": "hinge", "a": "rod", "anchor": [0, 0], **joint}
    if motor:
        hinge["motor"] = motor
    return {"dim": 2, "materials": STEEL, "bodies": [ROD], "joints": [hinge], "stepping": {"step": 0.01, "duration": 9},
            "solver": {"tol": 1e-10}}


def go(sim, seconds):
    end = sim.time + seconds
    while sim.time < end - 1e-9:
        assert sim.step()


class Motors(unittest.TestCase):
    def test_targets(self):
        sim = stickslip.Simulation(arm({"kind": "position", "target": 0, "stiffness": 500, "damping": 60}))
        for target in (0.5, -0.3):
            sim.set_target("elbow", target)
            go(sim, 3)
            joint = sim.joint("elbow")
            self.assertAlmostEqual(joint.motor, 500 * (target - joint.coordinate), 3)
            self.assertAlmostEqual(joint.motor, G * math.cos(joint.coordinate), 3)
            np.testing.assert_allclose(joint.force, [0, 2 * G, 0], atol=1e-4)
            np.testing.assert_allclose(joint.anchor, 0, atol=1e-9)
            self.assertEqual((joint.kind, joint.a, joint.b, joint.axis.tolist()), ("hinge", 0, -1, [0, 0, 1]))
            self.assertEqual(sim.coordinates[0], joint.coordinate)
            self.assertEqual(sim.rates[0], joint.rate)
            self.assertEqual(sim.motor_forces[0], joint.motor)
            self.assertIn("elbow", repr(joint))
        self.assertLess(sim.energy["closure"], 1e-12)

    def test_checkpoint(self):
        scene = arm({"kind": "velocity", "target": 1, "max_force": 15}, low=-0.2, high=0.6)
        sim = stickslip.Simulation(scene)
        sim.set_target(0, 2)
        go(sim, 0.5)
        again = stickslip.Simulation(scene)
        again.load(sim.save())
        self.assertEqual(again.joint(0).motor, sim.joint(0).motor)
        go(sim, 0.5), go(again, 0.5)
        self.assertEqual(sim.save(), again.save())
        self.assertAlmostEqual(sim.coordinates[0], 0.6, 8)

    def test_refused(self):
        sim = stickslip.Simulation(arm(low=-1))
        for wrong in (lambda: sim.set_target("elbow", 1), lambda: sim.set_target("knee", 1), lambda: sim.joint(1),
                      lambda: sim.contact_force("rod", 3), lambda: sim.point(7, [0, 0])):
            self.assertRaises(stickslip.ArgumentError, wrong)
        for bad in ({"low": 0.1}, {"high": -0.1}, {"low": -1, "high": -2}, {"kind": "ball", "low": -1},
                    {"motor": {"kind": "velocity", "target": 1}}, {"motor": {"kind": "position", "target": 1, "stiffness": 0}}):
            self.assertRaises(stickslip.Error, stickslip.Simulation, arm(**bad))

    def test_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arm.h5"
            filed = stickslip.simulate("servo-arm", duration=0.2, output=path)
            here = stickslip.simulate("servo-arm", duration=0.2)
        self.assertEqual(here["frames/joint_motion"].shape[1:], (2, 4))
        np.testing.assert_array_equal(filed["frames/joint_motion"], here["frames/joint_motion"])
        np.testing.assert_array_equal(filed["frames/joint_impulse"], here["frames/joint_impulse"])


class Sensors(unittest.TestCase):
    def test_contact_forces_and_points(self):
        box = {"shape": {"kind": "box", "size": [1, 1]}, "mass": 1}
        sim = stickslip.Simulation({
            "dim": 2, "materials": STEEL, "externals": [{"name": "floor", "shape": {"kind": "plane"}}],
            "bodies": [{**box, "name": "lower", "position": [0, 0.5]}, {**box, "name": "upper", "position": [0, 1.5]}],
            "stepping": {"step": 0.01, "duration": 1}})
        np.testing.assert_array_equal(sim.contact_force("lower"), 0)
        go(sim, 0.1)
        np.testing.assert_allclose(sim.contact_force("lower", "floor"), [0, 2 * G, 0], atol=1e-5)
        np.testing.assert_allclose(sim.contact_force("lower", "upper"), [0, -G, 0], atol=1e-5)
        np.testing.assert_allclose(sim.contact_force("upper", "lower"), [0, G, 0], atol=1e-5)
        np.testing.assert_allclose(sim.contact_force("lower"), [0, G, 0], atol=1e-5)
        wheel = stickslip.Simulation({**arm(), "gravity": [0, 0], "bodies": [{**ROD, "spin": 2, "velocity": [0, 1]}]})
        go(wheel, 0.5)
        position, velocity = wheel.point("rod", [0.5, 0])
        angle = wheel.coordinates[0]
        np.testing.assert_allclose(position, [math.cos(angle), math.sin(angle), 0], atol=1e-9)
        np.testing.assert_allclose(velocity, [-2 * math.sin(angle), 2 * math.cos(angle), 0], atol=1e-3)


def number(r, low, high):
    return float(10 ** r.uniform(low, high))


def random_motor(r, kind):
    motor = {"kind": str(r.choice(["velocity", "position"])), "target": float(r.normal()), "max_force": number(r, -2, 5)}
    if motor["kind"] == "position":
        motor.update(stiffness=number(r, 0, 4), damping=number(r, 0, 2), target=motor["target"] * (1 if kind == "hinge" else 0.2))
    elif r.random() < 0.5:
        motor["damping"] = number(r, -1, 3)
    return motor


def random_chain(seed):
    """Boxes on hinges and sliders above the ground, with motors and limits."""
    r = np.random.default_rng(seed)
    dim = int(r.choice([2, 3]))
    put = lambda x: [x, 0.4] if dim == 2 else [x, 0, 0.4]  # noqa: E731
    bodies, joints = [], []
    for k in range(int(r.integers(1, 4))):
        kind = str(r.choice(["hinge", "slider"]))
        bodies.append({"name": f"b{k}", "shape": {"kind": "box", "size": [0.4, 0.1, 0.1][:dim]}, "mass": number(r, -0.5, 0.7),
                       "position": put(0.2 + 0.4 * k)})
        joint = {"kind": kind, "a": k, "b": f"b{k - 1}" if k else "world", "anchor": put(0.4 * k)}
        if kind == "slider" or dim == 3:
            joint["axis"] = [0, 1, 0] if kind == "hinge" else [1, 0, 0][:dim]
        if r.random() < 0.7:
            joint["motor"] = random_motor(r, kind)
        if r.random() < 0.6:
            joint["low"] = -float(r.uniform(0, 1))
        if r.random() < 0.6:
            joint["high"] = float(r.uniform(0, 1))
        joints.append(joint)
    stepping = {"step": float(r.choice([0.002, 0.01])), "duration": 0.3, "theta": float(r.choice([0.5, 0.75, 1])),
                "drift": str(r.choice(["gap", "projection", "none"]))}
    return {"dim": dim, "materials": STEEL, "bodies": bodies, "joints": joints, "externals": [{"shape": {"kind": "plane"}}],
            "stepping": stepping}


class Chains(unittest.TestCase):
    def test_limits_and_forces_hold(self):
        pressed = full = 0
        for seed in range(16):
            scene = random_chain(seed)
            sim = stickslip.Simulation(scene)
            while not sim.done:
                self.assertTrue(sim.step(), f"seed {seed}, t = {sim.time}")
                for k, joint in enumerate(scene["joints"]):
                    now = sim.joint(k)
                    self.assertGreaterEqual(now.coordinate, joint.get("low", -math.inf) - 1e-6, seed)
                    self.assertLessEqual(now.coordinate, joint.get("high", math.inf) + 1e-6, seed)
                    most = joint.get("motor", {}).get("max_force", 0)
                    self.assertLessEqual(abs(now.motor), most * (1 + 1e-6), seed)
                    pressed += now.limit != 0
                    full += most > 0 and abs(now.motor) > 0.999 * most
            self.assertLess(sim.energy["closure"], 1e-9, seed)
        self.assertGreater(pressed, 50)
        self.assertGreater(full, 200)


if __name__ == "__main__":
    unittest.main()
