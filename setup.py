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


def library_folder():
    ready = os.environ.get("STICKSLIP_BUILD")
    if ready:
        return pathlib.Path(ready).resolve()
    folder = root / "build-python" / "library"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    off = [f"-DSTICKSLIP_{part}=OFF" for part in ("COMMAND", "TESTS", "BENCH", "EXAMPLES", "PAGES", "PYTHON_PACKAGE")]
    subprocess.run(["cmake", "-S", str(root), "-B", str(folder), *generator, *off], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "stickslip"], check=True)
    return folder


class with_library(build_py):
    """Puts the shared library beside the module that is linked with it."""

    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib, "stickslip", "libstickslip.so.0")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.path.realpath(pathlib.Path(os.environ["STICKSLIP_LIBRARY"], "libstickslip.so")), target)


os.environ["STICKSLIP_INCLUDE"] = str(root / "include")
os.environ["STICKSLIP_LIBRARY"] = str(library_folder())
setup(cffi_modules=["python/ffi_builder.py:builder"], cmdclass={"build_py": with_library},
      options={"bdist_wheel": {"py_limited_api": "cp39"}, "build": {"build_base": "build-python"}})
