"""Builds the Python package (python/): the library by CMake, then the module that calls it.

STICKSLIP_BUILD names a folder in which CMake has built the library already; without it, it is built here."""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

root = pathlib.Path(__file__).resolve().parent
os.chdir(root)
sys.path.insert(0, str(root / "python"))
ready = os.environ.get("STICKSLIP_BUILD")
library = pathlib.Path(ready or "build-python/library").resolve()
os.environ["STICKSLIP_INCLUDE"], os.environ["STICKSLIP_LIBRARY"] = str(root / "include"), str(library)


class with_library(build_py):
    """Builds the shared library and puts it beside the module that will be linked with it."""

    def run(self):
        package = pathlib.Path(self.build_lib, "stickslip")
        for old in package.glob("*.py"):  # modules that are no longer there
            old.unlink()
        super().run()
        if not ready:
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            off = [f"-DSTICKSLIP_{part}=OFF" for part in ("COMMAND", "TESTS", "BENCH", "EXAMPLES", "PAGES", "PYTHON_PACKAGE")]
            subprocess.run(["cmake", "-S", root, "-B", library, *generator, *off], check=True)
            subprocess.run(["cmake", "--build", library, "--target", "stickslip", "--parallel"], check=True)
        package.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library / "libstickslip.so", package / "libstickslip.so.0")


setup(cffi_modules=["python/ffi_builder.py:builder"], cmdclass={"build_py": with_library},
      options={"bdist_wheel": {"py_limited_api": "cp39"}, "build": {"build_base": "build-python"}})
