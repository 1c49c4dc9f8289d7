"""The wheel stands by itself: built as `make python` does, unpacked elsewhere, and imported from there."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Wheel(unittest.TestCase):
    def test_wheel(self):
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
        pip = [sys.executable, "-m", "pip", "-q", "--no-cache-dir"]
        if subprocess.run([*pip, "--version"], env=clean, capture_output=True).returncode:
            self.skipTest("Python lacks pip (scripts/setup python)")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([*pip, "wheel", "--no-index", "--no-build-isolation", "--no-deps", "-w", folder, ROOT],
                                  env=clean | {"STICKSLIP_BUILD": os.environ["STICKSLIP_BUILD"]}, capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            (wheel,) = pathlib.Path(folder).glob("stickslip-*-cp39-abi3-*.whl")
            target = pathlib.Path(folder, "there")
            subprocess.run([*pip, "install", "--no-index", "--no-deps", "--target", target, wheel], env=clean, check=True)
            use = "import stickslip as s; print(s.__file__); print(s.solve(s.Problem(dim=2, mu=0.5, W=[[1,0],[0,1]], q=[-1,2])).states)"
            said = subprocess.run([sys.executable, "-c", use], env=clean | {"PYTHONPATH": str(target)}, cwd=folder,
                                  capture_output=True, text=True, check=True).stdout.split("\n")
            self.assertTrue(said[0].startswith(str(target)))
            self.assertEqual(said[1], "['slip']")


if __name__ == "__main__":
    unittest.main()
