"""What fuzzing left behind, judged through the command (scripts/fuzz calls this).

  triage.py --format F --command STICKSLIP [--replay PROGRAM --finds FOLDER] [--corpus FOLDER]

Finds are inputs that crashed, hung or filled the fuzzer, which reads in its own process. Each is
replayed by PROGRAM, built with AddressSanitizer, for its stack; the places are listed. A place in our
own code, or an overrun of a block that our own code took, is a failure. Finds and the corpus then go
through `STICKSLIP info` (solution readers: also `check`; runs: `convert` and `report`), which must end by itself, in time, with
status 0, 1 or 3; 4 only where the message names memory. Exit status 1 if anything failed.
"""
import argparse
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND_LIMIT_S = 90  # the command gives libhdf5 60 s and a little for the size
REPLAY_LIMIT_S = 30
RUNTIME = re.compile(r"libc\.so|libm\.so|ld-linux|replay_|unknown module")
FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+\s+(?:in (\S+) )?(.*)$")


def files_of(folder):
    if not folder:
        return []
    paths = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
    return [path for path in paths if os.path.isfile(path)]


# ---- stacks ----------------------------------------------------------------------------------


def replay(program, path, symbolize):
    """Kind of crash (None: none) and report of one input. What is too slow is made to abort, for its stack."""
    env = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1")
    env["ASAN_OPTIONS"] = ("detect_leaks=0:allocator_may_return_null=1:handle_abort=1:"
                           f"max_allocation_size_mb=4096:symbolize={int(symbolize)}")
    with subprocess.Popen([program, path], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        slow = False
        while True:
            try:
                report = run.communicate(timeout=REPLAY_LIMIT_S)[1].decode(errors="replace")
                break
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL if slow else signal.SIGABRT)
                slow = True
    if slow:
        return f"over {REPLAY_LIMIT_S} s", report
    return kind_of(report) if run.returncode else None, report


def kind_of(report):
    match = re.search(r"ERROR: \w+: ([\w-]+)", report)
    return match.group(1) if match else "undefined operation" if "runtime error" in report else "other"


def stacks(report):
    """The stacks of a report, each a list of (function, where); the first is that of the crash."""
    found, inside = [], False
    for line in report.splitlines():
        match = FRAME.match(line)
        if match and not inside:
            found.append([])
        if match:
            found[-1].append((match.group(1) or "", match.group(2)))
        inside = bool(match)
    return found


def is_ours(where):
    return where.startswith(ROOT) and ".c:" in where


def is_runtime(function, where):
    """The sanitizer's or the C library's; other libraries are named in brackets."""
    if is_ours(where) or function.startswith("H5"):
        return False
    return not where.startswith("(/") or bool(RUNTIME.search(where))


def describe_place(frames):
    """The first frame that is neither the sanitizer's nor the C library's, and whether it is ours."""
    frames = [frame for frame in frames if not is_runtime(*frame)]
    if not frames:
        return "?", False
    function, where = frames[0]
    if is_ours(where):
        return f"{function} {os.path.relpath(where.split(':')[0], ROOT)}:{where.split(':')[1]}", True
    library = os.path.basename(where.strip("()").split("+")[0])
    if not function:  # static, so without a name: which one it is, the caller tells
        offset = where.split("+")[1].split(")")[0]
        function = f"static function at {offset} below {next((f for f, _ in frames if f), '?')}"
    return f"{function} ({library})", False


def entry(frames):
    """The call of ours that led there: the last frame of libhdf5 before our first."""
    last = ""
    for function, where in frames:
        if is_ours(where):
            return last
        if "hdf5" in where:
            last = function
    return last


def taken_by_us(report, all_stacks):
    """Whether the block that was overrun was taken by the library's own code: then the fault may be
    ours. (The file's bytes are taken by the fuzz target.)"""
    if "allocated by thread" not in report or len(all_stacks) < 2:
        return False
    taken = [where for function, where in all_stacks[-1] if not is_runtime(function, where) and function != "count_alloc"]
    return bool(taken) and taken[0].startswith(os.path.join(ROOT, "src"))


def group_finds(program, finds):
    """Files by kind and raw stack, so that symbols are looked up once for each; those fine when alone."""
    groups, fine = collections.OrderedDict(), []
    for path in finds:
        kind, report = replay(program, path, symbolize=False)
        if not kind:
            fine.append(path)
            continue
        crash = (stacks(report) or [[]])[0]
        groups.setdefault((kind, tuple(where for _, where in crash[:8])), []).append(path)
    return groups, fine


def list_places(program, finds):
    """Prints where the finds crash; how many of them in our code."""
    groups, fine = group_finds(program, finds)
    table, ours = {}, 0
    for (kind, _), paths in groups.items():
        _, report = replay(program, paths[0], symbolize=True)
        found = stacks(report) or [[]]
        where, mine = describe_place(found[0])
        mine = mine or "runtime error" in report or taken_by_us(report, found)
        ours += len(paths) if mine else 0
        row = table.setdefault((mine, where, kind), {"count": 0, "from": set(), "example": paths[0]})
        row["count"] += len(paths)
        row["from"].add(entry(found[0]))
    print(f"  {len(finds)} finds at {len(table)} places")
    for (mine, where, kind), row in sorted(table.items(), key=lambda item: -item[1]["count"]):
        print(f"  {row['count']:5d}  {'OUR CODE ' if mine else ''}{where}, {kind}, "
              f"from {', '.join(sorted(filter(None, row['from']))) or '?'}, e.g. {row['example']}")
    if fine:
        print(f"  {len(fine):5d}  fine when replayed alone, e.g. {fine[0]}")
    return ours


# ---- the command -----------------------------------------------------------------------------


def unpack_set(path, folder):
    """A set as fuzz_mtx_set.c has it, in files; the name to give to the command."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    out = None
    with open(path, "rb") as text:
        for line in text:
            match = re.fullmatch(rb"@([A-Za-z]{1,2})\n", line)
            if match:
                if out:
                    out.close()
                out = open(os.path.join(folder, f"set.{match.group(1).decode()}.mtx"), "wb")
            elif out:
                out.write(line)
    if out:
        out.close()
    return os.path.join(folder, "set")


def run_command(words):
    """Status (None: too slow) and message."""
    try:
        run = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             timeout=COMMAND_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {COMMAND_LIMIT_S} s"
    return run.returncode, run.stderr.decode(errors="replace").strip()


def feed(command, form, paths):
    """Every file through the command; how many ended as they must not."""
    tally, bad = collections.Counter(), 0
    folder = tempfile.mkdtemp(prefix="triage_")
    for path in paths:
        named = unpack_set(path, folder) if form == "mtx" else path
        calls = [["info", "--json", "--format", form, named]]
        if form == "run":
            calls = [["info", "--json", named], ["convert", "-q", named, folder + "/"],
                     ["report", "-q", "--svg", "scene", named, "-o", os.path.join(folder, "out.svg")]]
        if form in ("json", "fclib"):
            calls.append(["check", "--json", os.path.join(ROOT, "tests", "fuzz", f"solved_by_{form}.json"), named])
        for call in calls:
            status, message = run_command([command] + call)
            tally[(call[0], status)] += 1
            if status in (0, 1, 3) or (status == 4 and "memory" in message):
                continue
            bad += 1
            print(f"  BAD status {status}: {command} {' '.join(call)}\n    (from {path}) {message[-2000:]}")
    shutil.rmtree(folder)
    for (word, status), count in sorted(tally.items(), key=str):
        print(f"  {count:5d}  {command} {word}: exit {status}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--format", required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--replay")
    parser.add_argument("--finds")
    parser.add_argument("--corpus")
    args = parser.parse_args()
    finds, bad = files_of(args.finds), 0
    if args.replay and finds:
        bad += list_places(args.replay, finds)
    bad += feed(args.command, args.format, finds + files_of(args.corpus))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
