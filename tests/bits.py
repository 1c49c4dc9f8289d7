"""tests/bits.py [--quick] [--kinds scenes,solve,certify,enumerate] [--seconds 2] [--kernels Haswell,Nehalem] [--threads 2,4]
[--plain] [--emulate Nehalem] STICKSLIP [STICKSLIP...]

The same input gives the same bytes. Every case (all scenes, mechanisms and elastic bodies that come with the program; the shared
problems and 80 generated ones solved; 100 certified; 100 enumerated) is run as a reference by the first STICKSLIP, and again
  - with each of the OpenBLAS kernels (they matter where the build takes the system's BLAS),
  - --plain: with the C library told that the processor has neither AVX2 nor fused multiply-add,
  - with each number of threads,
  - --emulate: on an emulated processor (one of `qemu-x86_64 -cpu help`), where qemu-x86_64 is installed: Nehalem has no AVX,
  - by each further STICKSLIP: other compilers, other levels of optimisation.
Compared are standard output without times and names of programs, the exit status, and the bytes of the output file. Prints, for each
of these, how many cases differ, and which; exit status 1 if any does, if a reference fails, or if the program calls functions
of the C library that depend on the processor. --quick takes a part of the cases, 0.1 s of each scene and 100 iterations of each problem (else 2,000)."""
import argparse
import concurrent.futures
import ctypes.util
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "problems"
PLAIN = "glibc.cpu.hwcaps=-AVX512F_Usable,-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX512F,-AVX2,-FMA,-FMA4"
TIMED = {"time_s", "time_solve_s", "time_detect_s", "time_digits_s", "time_per_step_ms"}
# Exact, or rounded by src/la/elementary.c after a check that the last bits do not matter.
EXACT = set("acosl atan2l atanl cbrtl cosl exp2l expl log10l log2l logl powl sincosl sinl tanl "
            "ceil floor fabs fma fmax fmin frexp ldexp ilogb lround lroundf rint round trunc sqrt nextafter nextafterl".split())
TIMES = re.compile(r' *DATASET "time_s" \{.*?^ *DATA \{.*?^ *\}\n', re.DOTALL | re.MULTILINE)  # of the steps of an elastic run
ELASTIC = ("elastic", "structure")


def generated(number):
    """A problem of random sizes: bodies that share dofs, dense or diagonal masses, friction from 0.05 to 2."""
    rng = random.Random(number)
    dim = 2 + number % 2
    contacts = rng.choice([1, 2, 3, 5, 8, 13, 30]) if dim == 3 else rng.choice([1, 2, 3, 4, 5, 6])
    dofs = max(2, rng.randint(contacts, dim * contacts + 3))
    value = lambda: rng.gauss(0, 1)
    root = [[value() for _ in range(dofs)] for _ in range(dofs)]
    mass = [[sum(a * b for a, b in zip(root[i], root[j])) / dofs + (i == j) for j in range(dofs)] for i in range(dofs)]
    if number % 3 == 0:
        mass = [[(i == j) * (0.5 + rng.random()) for j in range(dofs)] for i in range(dofs)]
    rows = [[value() if rng.random() < 0.6 else 0.0 for _ in range(dofs)] for _ in range(dim * contacts)]
    return {"dim": dim, "mu": [rng.choice([0.05, 0.3, 0.6, 1.0, 2.0]) for _ in range(contacts)], "M": mass,
            "f": [value() for _ in range(dofs)], "H": rows, "w": [0.3 * value() for _ in range(dim * contacts)]}


def cases(folder, kinds, quick, seconds):
    """(name, words, extension of the output file or None)"""
    every = 8 if quick else 1
    if "scenes" in kinds:
        for path in sorted((ROOT / "scenes").rglob("*.json"))[::3 if quick else 1]:
            elastic = path.parent.name == "elastic"
            duration = [] if elastic or path.stem in ELASTIC else ["--duration", str(0.1 if quick else seconds)]
            yield path.stem, ["simulate", path.stem, "--json", "-q", *duration, "-o"], ".h5"
        for name in ["painleve-rod", "belt", "jack-plane", "bouncing-ball", "slider", "two-blocks"][::2 if quick else 1]:
            yield name, ["simulate", name, "--json", "-q", "-o"], ".h5"
        for name in ["thrown-ball", "rod"]:
            yield name + "-events", ["simulate", name, "--scheme", "events", "--json", "-q", "-o"], ".h5"
    files = sorted(p for p in SHARED.rglob("*") if p.is_file() and p.parent.name not in ("scenes", "masonry", "beads"))
    files += sorted(p for p in SHARED.glob("masonry/*") if p.suffix != ".md") + sorted(SHARED.glob("beads/*"))
    own = []
    for number in range(100):
        path = folder / f"generated-{number}.json"
        path.write_text(json.dumps(generated(number)))
        own.append(path)
    if "solve" in kinds:
        for path in (files + own[:80])[::every]:
            yield f"solve {path.name}", ["solve", str(path), "-n", str(100 if quick else 2000), "--json", "-q", "-o"], ".json"
    if "certify" in kinds:
        for path in own[::every]:
            yield f"certify {path.name}", ["certify", str(path), "--json", "-q", "-o"], ".json"
    if "enumerate" in kinds:
        for path in own[::2 * every]:
            yield f"enumerate {path.name}", ["enumerate", str(path), "--json", "-q"], None
        for mu in range(0, 50, every):
            text = subprocess.run([FIRST, "model", "painleve", "-p", f"mu={mu / 20 + 0.05}", "-p", f"theta={0.2 + mu / 60}"],
                                  capture_output=True, text=True, check=True).stdout
            path = folder / f"painleve-{mu}.json"
            path.write_text(text)
            yield f"enumerate {path.name}", ["enumerate", str(path), "--json", "-q"], None


def without_times(text):
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        return text

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items()
                    if key not in TIMED | {"output", "threads"}}
        return [strip(inner) for inner in value] if isinstance(value, list) else value
    return json.dumps(strip(answer))


def run(program, words, extension, folder, env, prefix, threads):
    output = folder / f"out{extension}" if extension else None
    words = words + ([str(output)] if output else [])
    if threads and words[0] in ("solve", "simulate"):
        words += ["--threads", str(threads)]
    done = subprocess.run([*prefix, program, *words], capture_output=True, text=True, check=False, cwd=folder,
                          env=os.environ | {"LC_ALL": "C"} | env)
    digest = hashlib.sha256(f"{done.returncode} {without_times(done.stdout)}".encode())
    if output and output.exists():
        written = output.read_bytes()
        if extension == ".json":
            written = without_times(written.decode()).encode()
        elif re.search(r'"kind": "(elastic|structure)"', done.stdout):
            dump = subprocess.run(["h5dump", "-m", "%a", str(output)], capture_output=True, text=True, check=True).stdout
            written = TIMES.sub("", dump).encode()
        digest.update(written)
        output.unlink()
    return digest.hexdigest() if done.returncode in (0, 1) and done.stdout else None


def nm(file):
    if not os.path.exists(file):  # a library by its name
        file = next(str(at) for folder in ("/lib", "/usr/lib") for at in pathlib.Path(folder).rglob(str(file)))
    return subprocess.run(["nm", "-D", str(file)], capture_output=True, text=True, check=True).stdout.splitlines()


def inexact_functions(program):
    """What the program and its library take from the C library whose bits the processor may change."""
    libm = {line.split()[-1].split("@")[0] for line in nm(ctypes.util.find_library("m")) if " U " not in line}
    used = {line.split()[-1].split("@")[0] for file in (program, pathlib.Path(program).parent / "libstickslip.so")
            for line in nm(file) if " U " in line}
    return sorted(name for name in libm & used if not name.endswith("f128") and name not in EXACT)


def main():
    global FIRST
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="STICKSLIP")
    parser.add_argument("--kinds", default="scenes,solve,certify,enumerate")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--kernels", default="")
    parser.add_argument("--threads", default="")
    parser.add_argument("--emulate", action="append", default=[], metavar="PROCESSOR")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--progress", action="store_true", help="name the cases as they are done")
    options = parser.parse_args()
    programs = [str(pathlib.Path(p).resolve()) for p in options.programs]
    FIRST = programs[0]
    split = lambda text: [word for word in text.split(",") if word]
    variants = [(f"kernel {k}", programs[0], {"OPENBLAS_CORETYPE": k}, [], 0) for k in split(options.kernels)]
    variants += [("no AVX2, no FMA", programs[0], {"GLIBC_TUNABLES": PLAIN}, [], 0)] * options.plain
    variants += [(f"{n} threads", programs[0], {}, [], n) for n in split(options.threads)]
    if options.emulate and not shutil.which("qemu-x86_64"):
        print("not emulated: no qemu-x86_64 here (scripts/setup emulator)")
        options.emulate = []
    variants += [(f"emulated {e}", programs[0], {}, ["qemu-x86_64", "-cpu", e], 0) for e in options.emulate]
    variants += [(p, p, {}, [], 0) for p in programs[1:]]
    start = time.monotonic()
    differ = {"reference fails": []} | {variant[0]: [] for variant in variants}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        base = pathlib.Path(name)
        work = list(cases(base, split(options.kinds), options.quick, options.seconds))

        def one(numbered):
            number, (case, words, extension) = numbered
            folder = base / str(number)
            folder.mkdir()
            reference = run(programs[0], words, extension, folder, {}, [], 0)
            if not reference:
                return case, ["reference fails"]
            return case, [label for label, program, env, prefix, threads in variants
                          if run(program, words, extension, folder, env, prefix, threads) != reference]

        for case, labels in pool.map(one, enumerate(work)):
            if options.progress:
                print(f"{time.monotonic() - start:7.1f} s  {case}", file=sys.stderr)
            for label in labels:
                differ[label].append(case)
    for label, names in differ.items():
        print(f"{label}: {len(names)} of {len(work)} cases" + (": " + "; ".join(names) if names else ""))
    inexact = inexact_functions(programs[0])
    print(f"functions of the C library that depend on the processor: {' '.join(inexact) or 'none'}")
    return 1 if any(differ.values()) or inexact or not work else 0


if __name__ == "__main__":
    sys.exit(main())
