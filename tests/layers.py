"""Includes point one way: a folder may include itself and the folders before it; the command, the
benchmarks and the examples see include/ only. Prints every offending line."""
import pathlib, re, sys

ORDER = "base la cone problem solvers certify analysis models dynamics elastic events io report cli".split()
OUTSIDE = ["cli"]  # of src/: may include its own folder and the public headers, nothing else

bad = []
for path in [*pathlib.Path("src").rglob("*.[ch]"), *pathlib.Path("bench").rglob("*.[ch]"),
             *pathlib.Path("examples").rglob("*.[ch]")]:
    folder = path.parts[1] if path.parts[0] == "src" else path.parts[0]
    if path.parts[0] == "src" and folder not in ORDER:
        bad.append(f"{path}: folder {folder} is not in the list of layers")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for used in re.findall(r'#include "([\w.]+)/', line):
            if used == "stickslip" or used == folder:
                continue
            outside = path.parts[0] != "src" or folder in OUTSIDE
            if outside or used not in ORDER or ORDER.index(used) > ORDER.index(folder):
                bad.append(f"{path}:{number}: {folder} includes {used}")
sys.exit("\n".join(bad) or 0)
