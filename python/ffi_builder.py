"""The C side of the package: cffi compiles stickslip/_library from the library's own headers.

What Python may call is read off include/stickslip/*.h by the preprocessor, so no declaration is written twice. Two
folders are told by the environment (setup.py sets them): STICKSLIP_INCLUDE, the headers, and STICKSLIP_LIBRARY, the
shared library to link with."""
import os
import pathlib
import re
import subprocess
import tempfile

import cffi

# Python functions that C calls; `user` is a handle of an object of _calls.py.
CALLBACKS = """
extern "Python" {
  void python_log(void *user, ss_level level, const char *text);
  int python_solve_progress(void *user, const ss_info *now);
  int python_certify_progress(void *user, int iteration, double low, double high);
  int python_enumerate_progress(void *user, const ss_enumerate_progress *now);
  int python_critical_progress(void *user, const ss_critical_progress *now);
  int python_atlas_progress(void *user, const ss_atlas_progress *now);
  int python_trace_progress(void *user, const ss_trace_progress *now);
  int python_stop(void *user);
  ss_error python_atlas_problem(void *user, ss_context *ctx, double x, double y, ss_problem **out);
  ss_error python_trace_problem(void *user, ss_context *ctx, double p, ss_problem **out);
}
"""


def declarations(include):
    """The public headers as cffi reads them: preprocessed, without those of the system (cffi knows their types)."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            pathlib.Path(empty, name).touch()
        compiler = os.environ.get("CC", "cc").split()
        text = subprocess.run([*compiler, "-E", "-P", "-nostdinc", "-U__GNUC__", f"-I{empty}", f"-I{include}", "-x", "c", "-"],
                              input="#include <stickslip/stickslip.h>\n", capture_output=True, text=True, check=True).stdout
    return re.sub(r"static inline ([^{}]*) \{.*?^\}", r"\1;", text, flags=re.M | re.S)  # cffi wants no bodies


def builder():
    include, library = os.environ["STICKSLIP_INCLUDE"], os.environ["STICKSLIP_LIBRARY"]
    ffi = cffi.FFI()
    ffi.cdef(declarations(include))
    ffi.cdef(CALLBACKS)
    ffi.set_source("stickslip._library", "#include <stickslip/stickslip.h>", include_dirs=[include],
                   library_dirs=[library], libraries=["stickslip"],
                   extra_link_args=["-Wl,-rpath,$ORIGIN"])  # the library lies beside the module
    return ffi
