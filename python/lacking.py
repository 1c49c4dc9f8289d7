"""Prints what this Python lacks to build the package; nothing where all is there."""
import importlib.util
import os
import sysconfig

missing = [name for name in ("numpy", "scipy", "cffi", "setuptools", "wheel") if importlib.util.find_spec(name) is None]
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    missing.append("Python.h")
if missing:
    print(f"Python lacks {', '.join(missing)} (scripts/setup python)")
