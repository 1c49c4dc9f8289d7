"""Every C block of docs/*.md and README.md is compiled; those that are programs are linked with the library, run, and
must end with status 0. Blocks that are parts of a file have their surroundings here. A block that begins with
`// examples/NAME.c` is that file.

usage: docs_code.py CC SOURCE_FOLDER LIBRARY"""
import pathlib, re, subprocess, sys, tempfile

METHOD = """#include <stddef.h>
#include "solvers/method.h"
typedef struct ssi_mymethod_options { double omega; } ssi_mymethod_options;
"""
FUNCTIONS = """static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  mymethod *m = state;
  (void)seed;
  m->x = SSI_TAKE(arena, sys->m, double);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}
static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  (void)state, (void)sys, (void)r, (void)estimate;
  return SSI_STALLED;
}
"""
# the blocks of a page in one file, what stands before, between and after them
AROUND = {"adding_a_solver.md": [METHOD + "struct functions {\n", "};\n", FUNCTIONS,
                                 "extern const ssi_method ssi_method_mymethod;\n"]}


def blocks(path):
    return re.findall(r"^```c\n(.*?)^```$", path.read_text(), re.S | re.M)


def sources(path):
    found = blocks(path)
    around = AROUND.get(path.name)
    if not around:
        return found
    assert len(around) == len(found) + 1, f"{path.name}: {len(found)} blocks, tests/docs_code.py expects {len(around) - 1}"
    return ["".join(a + b for a, b in zip(around, found)) + around[-1]]


def is_example(root, source):
    """The complaint, or None."""
    named = re.match(r"// (examples/\w+\.c)\b", source)
    if named and (root / named.group(1)).read_text() != source:
        return f"is not {named.group(1)} as it is"
    return None


def judge(compiler, root, library, source, scratch):
    """The complaint, or None."""
    file, program = scratch / "block.c", scratch / "block"
    file.write_text(source)
    runs = "int main(" in source
    words = [*compiler, "-std=c17", "-Wall", "-Werror", f"-I{root / 'include'}", f"-I{root / 'src'}", str(file), "-o", str(program)]
    words += [str(library), f"-Wl,-rpath,{library.parent}", "-lm"] if runs else ["-c"]
    built = subprocess.run(words, capture_output=True, text=True)
    if built.returncode:
        return built.stderr
    if not runs:
        return None
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=600)
    return None if done.returncode == 0 else f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


def main():
    compiler, root, library = sys.argv[1].split(";"), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    count = bad = 0
    for page in sorted(root.glob("docs/*.md")) + [root / "README.md"]:
        for number, source in enumerate(sources(page)):
            with tempfile.TemporaryDirectory() as scratch:
                complaint = is_example(root, source) or judge(compiler, root, library, source, pathlib.Path(scratch))
            count, bad = count + 1, bad + bool(complaint)
            if complaint:
                print(f"{page.name}, C block {number}: {complaint}")
    print(f"{count} sources, {bad} complaints")
    return 1 if bad or count < 4 else 0


sys.exit(main())
