"""Simulations step by step, loads set between steps, runs as arrays, run files."""
import pathlib
import tempfile
import unittest
import xml.dom.minidom

import numpy as np

import stickslip

BOX = {"dim": 2, "materials": [{"name": "m", "mu": 0.5}],
       "bodies": [{"name": "box", "shape": {"kind": "box", "size": [1, 1]}, "mass": 1, "position": [0, 0.5]}],
       "externals": [{"shape": {"kind": "plane"}}], "stepping": {"step": 0.01, "duration": 0.5}, "solver": {"tol": 1e-10}}


class Steps(unittest.TestCase):
    def test_a_box_that_slides(self):
        sim = stickslip.Simulation({**BOX, "bodies": [{**BOX["bodies"][0], "velocity": [1, 0]}]})
        step = sim.step()
        self.assertTrue(step)
        self.assertAlmostEqual(sim.velocities[0, 0], 1 - 0.5 * 9.81 * 0.01)
        contacts = sim.contacts
        self.assertEqual(contacts["state"].tolist(), [2, 2])
        np.testing.assert_allclose(contacts["impulse"].sum(axis=0), [-0.5 * 9.81 * 0.01, 9.81 * 0.01, 0], atol=1e-9)
        before = sim.positions
        sim.step()
        self.assertNotEqual(before[0, 0], sim.positions[0, 0])  # copies: they stay what they were
        self.assertEqual(sim.names, ["box"])
        self.assertAlmostEqual(sim.energy["closure"], 0)
        self.assertEqual(sim.totals["steps"], 2)
        self.assertTrue(stickslip.solve(sim.problem()))
        self.assertEqual(sim.joint_impulses.shape, (0, 6))

    def test_loads(self):
        sim = stickslip.Simulation(BOX)
        for push, moves in ((4.8, False), (5.0, True)):  # mu m g = 4.905
            sim.set_load("box", force=[push, 0])
            for _ in range(20):
                sim.step()
            self.assertEqual(sim.velocities[0, 0] > 1e-3, moves)
        sim.set_load(0)
        sim.run()
        self.assertLess(abs(sim.velocities[0, 0]), 1e-9)  # friction stopped it
        sim = stickslip.Simulation({**BOX, "gravity": [0, 0], "externals": []})
        sim.set_load("box", force=[0, 1], moment=0.5)
        sim.step()
        self.assertAlmostEqual(sim.spins[0, 2], 0.01 * 0.5 * 6)  # I = m/6
        for wrong in (lambda: sim.set_load("boxx"), lambda: sim.set_load(1), lambda: sim.set_load(0, force=[1]),
                      lambda: sim.set_load(0, force=[float("nan"), 0])):
            with self.assertRaises(stickslip.ArgumentError):
                wrong()

    def test_motions(self):
        sim = stickslip.Simulation({**BOX, "externals": [{"name": "belt", "shape": {"kind": "plane"}}]})
        for speed in (0.1, -0.2):
            sim.set_motion("belt", velocity=[speed, 0])
            sim.run(steps=20)
            self.assertAlmostEqual(sim.velocities[0, 0], speed)
        self.assertAlmostEqual(sim.external_poses[0, 0], 0.02 - 0.04)
        for wrong in (lambda: sim.set_motion("road"), lambda: sim.set_motion(1), lambda: sim.set_motion(0, [np.inf, 0])):
            with self.assertRaises(stickslip.ArgumentError):
                wrong()

    def test_checkpoints(self):
        a, b = stickslip.Simulation("house-of-cards"), stickslip.Simulation("house-of-cards")
        a.run(steps=3)
        saved = a.save()
        a.run(steps=3)
        b.load(saved)
        b.run(steps=3)
        np.testing.assert_array_equal(a.poses, b.poses)
        self.assertEqual(a.save(), b.save())
        with self.assertRaises(stickslip.DataError):
            b.load(b"x" * 100)

    def test_scenes(self):
        self.assertIn("house-of-cards", stickslip.scenes())
        with self.assertRaisesRegex(stickslip.ArgumentError, "house-of-cards"):
            stickslip.Simulation("house")
        with self.assertRaisesRegex(stickslip.Error, "/bodies/0/mass"):
            stickslip.Simulation({**BOX, "bodies": [{**BOX["bodies"][0], "mass": -1}]})
        with self.assertRaises(FileNotFoundError):
            stickslip.Simulation("no/such/file.json")


class Runs(unittest.TestCase):
    def test_arrays_by_name(self):
        run = stickslip.simulate(BOX, every=10)
        self.assertEqual((run.end, run["steps/time"].shape, run["frames/pose"].shape), ("duration", (50,), (6, 1, 7)))
        np.testing.assert_allclose(run["frames/time"], np.arange(6) * 0.1)
        self.assertEqual(len(run["contacts"]), 6)
        self.assertIn("steps/kinetic", run)
        self.assertIn("50 steps", repr(run))
        stopped = stickslip.simulate(BOX, progress=lambda step: step.time >= 0.1)
        self.assertEqual(len(stopped["steps/time"]), 10)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.h5")
            try:
                run = stickslip.simulate(BOX, output=path, every=10)
            except stickslip.UnsupportedError as lacking:
                self.skipTest(str(lacking))
            memory = stickslip.simulate(BOX, every=10)
            for name in memory:
                if name != "contacts":
                    np.testing.assert_array_equal(run[name], memory[name], err_msg=name)
            np.testing.assert_array_equal(run["contacts"][-1]["impulse"], memory["contacts"][-1]["impulse"])
            xml.dom.minidom.parseString(run.svg("energy"))
            self.assertIn("svg", run._repr_html_())
            with self.assertRaises(stickslip.WriteError):
                stickslip.simulate(BOX, output=path)
            longer = stickslip.simulate(BOX, output=path, resume=True, duration=0.6)
            self.assertEqual(len(longer["steps/time"]), 60)

    def test_interrupted_run_is_resumed(self):
        def interrupt(step):
            if step.time > 0.2:
                raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.h5")
            try:
                with self.assertRaises(KeyboardInterrupt):
                    stickslip.simulate(BOX, output=path, progress=interrupt)
            except stickslip.UnsupportedError as lacking:
                self.skipTest(str(lacking))
            self.assertFalse(path.exists())
            self.assertEqual(len(stickslip.read_run(path)["steps/time"]), 21)
            run = stickslip.simulate(BOX, output=path, resume=True)
            np.testing.assert_array_equal(run["steps/time"], stickslip.simulate(BOX)["steps/time"])


if __name__ == "__main__":
    unittest.main()
