"""Readers and writers of all formats."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def same(self, a, b):
        self.assertEqual((a.form, a.dim, a.contacts), (b.form, b.dim, b.contacts))
        for name in ("mu", "f", "w", "q", "b"):
            x, y = getattr(a, name), getattr(b, name)
            self.assertEqual(x is None or not x.size, y is None or not y.size)
            if x is not None and x.size:
                np.testing.assert_array_equal(x, y)
        for name in ("M", "H", "W"):
            if getattr(a, name) is not None:
                self.assertEqual(abs(getattr(a, name) - getattr(b, name)).sum(), 0)

    def test_round_trips(self):
        pile = stickslip.pile(30, dim=3)
        for p in (pile, pile.reduce(), stickslip.wall(2, 2, dim=2)):
            for name in ("p.json", "p.hdf5", "p.mtx"):
                if name == "p.hdf5" and p.dim == 2 and p.form == "global":
                    continue
                path = self.folder / f"{p.form}{p.dim}{name}"
                try:
                    stickslip.write(path, p)
                except stickslip.UnsupportedError:
                    continue
                self.same(p, stickslip.read(path))

    def test_full_disk(self):
        """No room for a file: an exception that names it, and what was there before stays as it was."""
        p = stickslip.pile(30, dim=3)
        solution = stickslip.solve(p, tol=1e-6)
        writers = {name: lambda path: stickslip.write(path, p) for name in ("p.json", "p.hdf5", "p.dat", "p.mtx")}
        writers |= {name: lambda path: stickslip.write_solution(path, p, solution) for name in ("s.json", "s.hdf5")}
        writers["run.h5"] = lambda path: stickslip.simulate("slope", duration=0.03, output=path, overwrite=True)
        old = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for most in 0, 100:
            for name, write in writers.items():
                first = "p.M.mtx" if name == "p.mtx" else name
                (self.folder / first).write_text("earlier")
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, old[0][1]))
                try:
                    with self.assertRaisesRegex(stickslip.Error, name.split(".")[0]):
                        write(self.folder / name)
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, old[0])
                self.assertEqual((self.folder / first).read_text(), "earlier")
                beside = sorted(os.listdir(self.folder))  # a run keeps what it has, in whole parts
                self.assertEqual(beside, [first] if name != "run.h5" else [first, "run.h5.parts"])
                (self.folder / first).unlink()
                shutil.rmtree(self.folder / "run.h5.parts", ignore_errors=True)
        signal.signal(signal.SIGXFSZ, old[1])

    def test_damaged_run(self):
        """Chunks of no rows crash libhdf5 1.10.8, in a child process: an exception."""
        path = self.folder / "run.h5"
        stickslip.simulate("slope", duration=0.03, output=path)
        self.assertEqual(len(stickslip.read_run(path)["steps/time"]), 3)
        bytes = path.read_bytes()
        empty = re.sub(rb"(\x03\x02\x02.{8}).{4}(\x08\0\0\0)", rb"\1\0\0\0\0\2", bytes, flags=re.DOTALL)
        self.assertNotEqual(empty, bytes)
        path.write_bytes(empty)
        with self.assertRaisesRegex(stickslip.FormatError, "run.h5"):
            stickslip.read_run(path)

    def test_solutions(self):
        p = stickslip.pile(30, dim=3)
        s = stickslip.solve(p, tol=1e-10)
        for name in ("s.json", "s.hdf5"):
            stickslip.write_solution(self.folder / name, p, s)
            again = stickslip.read_solution(self.folder / name, p)
            np.testing.assert_array_equal(again.r, s.r)
            self.assertTrue(stickslip.check(p, again))
        stickslip.write(self.folder / "both.hdf5", p, s)
        both = stickslip.read(self.folder / "both.hdf5")
        np.testing.assert_array_equal(both.solution.r, s.r)
        self.assertEqual(both.format, "fclib")
        stickslip.write_solution(self.folder / "r.json", p, s.r)
        self.assertIsNone(stickslip.read_solution(self.folder / "r.json", p).v)

    def test_siconos(self):
        shared = sorted((ROOT.parent / "shared" / "problems").rglob("*.dat"), key=lambda path: path.stat().st_size)
        if not shared:
            self.skipTest("no .dat file in ../shared/problems")
        p = stickslip.read(shared[0])
        self.assertEqual(p.format, "siconos")
        self.assertTrue(stickslip.solve(p, tol=1e-6))

    def test_arrays_are_the_readers_own(self):
        from stickslip._calls import ffi

        p = stickslip.read(ROOT / "examples" / "box.json")
        self.assertEqual(p.f.ctypes.data, int(ffi.cast("uintptr_t", p.c.f)))
        self.assertEqual(p.M.data.ctypes.data, int(ffi.cast("uintptr_t", p.c.M.x)))
        self.assertTrue(stickslip.solve(p))

    def test_title_and_exact_numbers(self):
        (self.folder / "p.json").write_text('{"title": "ü", "dim": 2, "mu": ["1/3"], "W": [[1,0],[0,1]], "q": [-1, "1/3"]}')
        p = stickslip.read(self.folder / "p.json")
        self.assertEqual(p.title, "ü")
        self.assertTrue(stickslip.enumerate(p).exact)
        stickslip.write(self.folder / "again.json", p)
        self.assertIn("1/3", (self.folder / "again.json").read_text())
        self.assertEqual(stickslip.read(self.folder / "again.json").title, "ü")

    def test_template(self):
        (self.folder / "t.json").write_text(json.dumps({"parameters": {"q": 1, "twice": "=2*q"}, "dim": 2, "mu": [0.5],
                                                        "W": [[1, 0], [0, 1]], "q": [-1, "=twice"]}))
        self.assertEqual(stickslip.template(self.folder / "t.json", q=3).q.tolist(), [-1, 6])
        with self.assertRaises(stickslip.Error):
            stickslip.template(self.folder / "t.json", x=3)

    def test_certificate_of_the_command(self):
        command = os.environ.get("STICKSLIP_COMMAND")
        if not command:
            self.skipTest("the command is not built")
        rod = stickslip.model("painleve", mu=1)
        stickslip.write(self.folder / "rod.json", rod)
        subprocess.run([command, "certify", self.folder / "rod.json", "-o", self.folder / "c.json"], capture_output=True)
        c = stickslip.read_solution(self.folder / "c.json", rod)
        self.assertIsInstance(c, stickslip.Certificate)
        self.assertTrue(stickslip.check(rod, c))

    def test_bad_files(self):
        bad = self.folder / "bad.json"
        for content, kind in (("{", stickslip.FormatError), ('{"dim": 2}', stickslip.FormatError),
                              ('{"dim":2,"mu":[1],"W":[[1,0],[0,1]],"q":[1]}', stickslip.Error)):
            bad.write_text(content)
            with self.assertRaisesRegex(kind, "bad.json"):
                stickslip.read(bad)
        (self.folder / "bad.hdf5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
        with self.assertRaises(stickslip.Error):
            stickslip.read(self.folder / "bad.hdf5")
        with self.assertRaises(stickslip.WriteError):
            stickslip.write(self.folder / "none" / "p.json", stickslip.wall(2, 2))
        with self.assertRaises(ValueError):
            stickslip.read(bad, format="xml")
        with self.assertRaises(ValueError):
            stickslip.read(bad, form="x")


if __name__ == "__main__":
    unittest.main()
