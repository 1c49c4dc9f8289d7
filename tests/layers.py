"""What the folders of src/ promise. Includes point one way: a folder may include itself and the folders
before it, but dynamics is a stranger to models, fem and elastic; the command, the benchmarks (but
for bench/inside) and the examples see include/ only; SuiteSparse is named in la alone. One name for one
thing: no two files, and no two types of headers, are called the same. The table of folders in docs/architecture.md says
what they include. Prints every offence."""
import collections, pathlib, re, sys

ORDER = "base la cone problem solvers derive certify analysis diagnose fem elastic models dynamics events io report serve cli mpi".split()
STRANGERS = [{"dynamics", other} for other in "fem elastic models".split()]
PENDING = []
OUTSIDE = ["cli"]  # of src/: may include its own folder and the public headers, nothing else
TYPE = re.compile(r"^typedef (?:struct|enum|union)\b[^;{]*\{[^{}]*\} (\w+);"  # in one line
                  r"|^(?:typedef )?(?:struct|enum|union) (\w+) \{|^\} (\w+);", re.M)

bad = []
files, types = collections.defaultdict(set), collections.defaultdict(set)
included = {folder: set() for folder in ORDER}
for path in [*pathlib.Path("src").rglob("*.[ch]"),
             *(p for p in pathlib.Path("bench").rglob("*.[ch]") if "inside" not in p.parts),
             *pathlib.Path("examples").rglob("*.[ch]")]:
    inside, text = path.parts[0] == "src", path.read_text()
    folder = path.parts[1] if inside else path.parts[0]
    if inside:
        files[path.name].add(str(path))
        for found in TYPE.finditer(text) if path.suffix == ".h" else ():
            types[found[1] or found[2] or found[3]].add(str(path))
    if inside and folder not in ORDER:
        bad.append(f"{path}: folder {folder} is not in the list of layers")
        continue
    for number, line in enumerate(text.splitlines(), 1):
        if folder != "la" and re.search(r"#include <(cholmod|umfpack|klu|amd)\.h>", line):
            bad.append(f"{path}:{number}: a back-end of la/direct.h should do this")
        for used in re.findall(r'#include "([\w.]+)/', line):
            if used == "stickslip" or used == folder:
                continue
            if inside:
                included[folder].add(used)
            outside = not inside or folder in OUTSIDE
            strangers = {used, folder} in STRANGERS
            if outside or strangers or used not in ORDER or ORDER.index(used) > ORDER.index(folder):
                bad.append(f"{path}:{number}: {folder} includes {used}")
told = {row[1]: set(re.findall(r"`(\w+)`", row[2]))
        for row in re.finditer(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", pathlib.Path("docs/architecture.md").read_text(), re.M)
        if row[1] in ORDER}
bad += [f"docs/architecture.md: {folder} includes {' '.join(sorted(used)) or 'nothing'}, and the table says "
        f"{' '.join(sorted(told[folder])) if folder in told else 'nothing of it'}"
        for folder, used in included.items() if told.get(folder) != used]
for kind, names in (("file", files), ("type", types)):
    bad += [f"{kind} {name} exists {len(at)} times: {' '.join(sorted(at))}"
            for name, at in sorted(names.items()) if len(at) > 1 and name not in PENDING]
sys.exit("\n".join(bad) or 0)
