"""Installs into a scratch prefix, moves the prefix, and builds examples/hello.c against it: by CMake's
find_package and by pkg-config. Both programs, and the installed command, must run; manual pages of all commands,
completions, documents, schemas and examples must be there, and DESTDIR must be respected.

    run.py shared|static CMAKE GENERATOR SOURCE BUILD

shared installs BUILD as it is; static builds the library once more."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

kind, cmake, generator, source, build = sys.argv[1:]
source = pathlib.Path(source)
sys.path.insert(0, str(source / "tests"))
from loose import difference  # noqa: E402

# what the person's shell sets must not leak in
env = {k: v for k, v in os.environ.items() if k not in ("DESTDIR", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**env, **more})
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}exit status {done.returncode}")
    return done.stdout


def must_be_hello(program, **more):
    wrong = difference(run(program, **more), (source / "examples/hello.out").read_text())
    if wrong:
        sys.exit(f"{program}: {wrong}")


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    if kind == "static":
        build = scratch / "build"
        parts = [f"-DSTICKSLIP_{part}=OFF" for part in ("COMMAND", "TESTS", "BENCH", "EXAMPLES")]
        run(cmake, "-S", source, "-B", build, "-G", generator, "-DBUILD_SHARED_LIBS=OFF", *parts)
        run(cmake, "--build", build, "-j2")
    run(cmake, "--install", build, "--prefix", scratch / "first")
    prefix = scratch / "moved here"  # what is installed must not know where; a blank is the hard case
    shutil.move(scratch / "first", prefix)
    lib = next(prefix.glob("**/libstickslip.*")).parent

    run(cmake, "-S", source / "tests/install", "-B", scratch / "consumer", "-G", generator,
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCONSUMER_SOURCE={source / 'examples/hello.c'}")
    run(cmake, "--build", scratch / "consumer")
    must_be_hello(scratch / "consumer/consumer")

    pkg = ["pkg-config", "--cflags", "--libs"] + ["--static"] * (kind == "static") + ["stickslip"]
    flags = shlex.split(run(*pkg, PKG_CONFIG_PATH=str(lib / "pkgconfig")))
    run("cc", source / "examples/hello.c", "-o", scratch / "hello", *flags)
    must_be_hello(scratch / "hello", LD_LIBRARY_PATH=str(lib))

    share = prefix / "share"
    places = ["doc/stickslip/README.md", "doc/stickslip/CITATION.cff", "doc/stickslip/docs/cli.md",
              "doc/stickslip/examples/box.json", "stickslip/schemas/scene.schema.json", "stickslip/scenes/arch.json"]
    if kind == "shared":
        commands = re.findall(r"^  ([a-z-]+) ", run(prefix / "bin/stickslip", "help").split("methods for")[0], re.M)
        places += [f"man/man1/{name}.1" for name in ["stickslip", *(f"stickslip-{c}" for c in commands)]]
        places += ["bash-completion/completions/stickslip", "zsh/vendor-completions/_stickslip",
                   "fish/vendor_completions.d/stickslip.fish"]
        run(cmake, "--install", build, "--prefix", "/somewhere", DESTDIR=str(scratch / "staged"))
        if not (scratch / "staged/somewhere/bin/stickslip").exists():
            sys.exit("DESTDIR is not respected")
        if (pathlib.Path(build) / "stickslip-mpi").exists():  # where PETSc and Open MPI are
            said = run(prefix / "bin/stickslip-mpi", "--version")
            if not said.startswith("stickslip-mpi "):
                sys.exit(f"the installed stickslip-mpi says {said!r}")
    for place in places:
        if not (share / place).exists():
            sys.exit(f"share/{place} is not installed")

    version = run("pkg-config", "--modversion", "stickslip", PKG_CONFIG_PATH=str(lib / "pkgconfig")).strip()
    if (pathlib.Path(build) / "stickslip").exists():  # not where Jansson is missing
        said = run(prefix / "bin/stickslip", "--version")
        if version not in said:
            sys.exit(f"the installed command says {said!r}, stickslip.pc {version!r}")
