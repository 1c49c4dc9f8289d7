"""Runs what the book shows, word for word as it shows it, and keeps the results.

A session is one command line, or several that share a folder; `A | B` is a pipe, `A < FILE` reads a file. Its result is kept
in a folder of the cache named by the hash of the built command and library, of the session and of the files of the repository
it names. So a book that was cut short goes on where it was, and one made with another build begins anew."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINKED = ("scenes", "examples", "bench", "tests")  # folders of the repository that a session may name


class Failed(Exception):
    """A command of the book ended in a way it should not."""


@dataclasses.dataclass
class Result:
    commands: list  # as shown
    seconds: float  # of the processor, all of them
    folder: pathlib.Path

    def __getitem__(self, name):
        """A field of the JSON object that the last command printed."""
        return self.json()[name]

    def json(self, k=-1):
        """What command k printed."""
        return json.loads((self.folder / f"stdout{k % len(self.commands)}").read_text())

    def path(self, name):
        return self.folder / name

    def command(self):
        return "\n".join(self.commands)


def digest(*paths):
    sum_ = hashlib.sha256()
    for path in paths:
        sum_.update(path.read_bytes())
    return sum_.hexdigest()


class Runner:
    def __init__(self, build, cache, jobs=2, say=print):
        self.programs = {"stickslip": build / "stickslip", "draw_curves": build / "bench" / "draw_curves"}
        libraries = [p for p in build.glob("libstickslip.so*") if not p.is_symlink()]
        self.build_hash = digest(self.programs["stickslip"], *libraries)
        self.cache, self.gate, self.say = cache, threading.Semaphore(jobs), say
        self.locks, self.guard = {}, threading.Lock()
        self.ran = self.kept = 0
        cache.mkdir(parents=True, exist_ok=True)

    def __call__(self, *commands, files=None):
        """The result of a session; `files` (name: text) are in its folder at the start."""
        key = self._key(commands, files or {})
        with self.guard:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            folder = self.cache / key
            if not (folder / "result.json").exists():
                with self.gate:
                    self._run(commands, files or {}, folder)
                self.ran += 1
            else:
                self.kept += 1
        kept = json.loads((folder / "result.json").read_text())
        return Result(list(commands), kept["seconds"], folder)

    def forget_others(self):
        """Removes what was kept for other builds, or for commands that the book has no more."""
        for folder in self.cache.iterdir():
            if folder.name not in self.locks:
                shutil.rmtree(folder)

    def _key(self, commands, files):
        named = {w for c in commands for w in shlex.split(c) if w.split("/")[0] in LINKED and (ROOT / w).is_file()}
        parts = [self.build_hash, *commands, *(digest(ROOT / w) for w in sorted(named)), json.dumps(files, sort_keys=True)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    def _run(self, commands, files, folder):
        work = folder.with_suffix(".part")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        for name in LINKED:
            (work / name).symlink_to(ROOT / name)
        for name, text in files.items():
            (work / name).write_text(text)
        begin, seconds = time.monotonic(), 0.0
        for k, command in enumerate(commands):
            seconds += self._pipe(command, work, work / f"stdout{k}")
        for name in (*LINKED, *(p.name for p in work.glob("pipe*"))):
            (work / name).unlink()
        (work / "result.json").write_text(json.dumps({"commands": commands, "seconds": seconds, "elapsed": time.monotonic() - begin,
                                                      "load": os.getloadavg()[0]}, indent=1))
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
        self.say(f"{time.monotonic() - begin:7.1f} s  {commands[0]}" + (f"  (and {len(commands) - 1} more)" if commands[1:] else ""))

    def _pipe(self, command, work, stdout):
        """Seconds of the processor."""
        seconds, source = 0.0, os.devnull
        for k, part in enumerate(split_pipe(command)):
            if "<" in part:
                source = work / part.pop()
                part.pop()
            if part[0] == "echo":
                (work / f"pipe{k}").write_text(" ".join(part[1:]) + "\n")
            else:
                seconds += self._part(command, part, source, work / f"pipe{k}", work)
            source = work / f"pipe{k}"
        shutil.copyfile(source, stdout)
        return seconds

    def _part(self, command, part, source, target, work):
        words = [*self._program(part[0]), *part[1:]] + (["-q"] if part[0] == "stickslip" else [])
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8")
        with open(source, "rb") as stdin, open(target, "wb") as stdout, open(work / "stderr", "wb") as stderr:
            child = subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=work, env=env)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1) or (child.returncode and part[0] != "stickslip"):
            raise Failed(f"{command}: exit status {child.returncode}: "
                         f"{(work / 'stderr').read_text(errors='replace')[-600:]}{target.read_text(errors='replace')[-600:]}")
        return usage.ru_utime + usage.ru_stime

    def _program(self, name):
        if name in self.programs:
            return [str(self.programs[name])]
        if name.endswith(".py") and name.split("/")[0] in LINKED:
            more = ["--command", str(self.programs["stickslip"])] if name == "bench/agwa.py" else []
            return [sys.executable, "-EsB", str(ROOT / name), *more]
        raise Failed(f"the book runs no {name}")


def split_pipe(command):
    parts, lexer = [[]], shlex.shlex(command, posix=True, punctuation_chars="|<")
    lexer.whitespace_split = True
    for word in lexer:
        if word == "|":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def shown(words):
    """A command line as people type it; quotes only where the shell needs them."""
    return " ".join(["stickslip", *(shlex.quote(w) for w in words)])
