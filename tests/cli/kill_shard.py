"""Runs a command that appends lines to FILE and ends it by SIGKILL as soon as LINES of them are there.

    kill_shard.py FILE LINES COMMAND...

A command that ended before its signal came was not killed: its file is thrown away and it begins anew, five times at
most."""
import os, subprocess, sys, time

path, wanted, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def lines():
    try:
        return open(path, "rb").read().count(b"\n")
    except FileNotFoundError:
        return 0


for attempt in range(5):
    if os.path.exists(path):
        os.unlink(path)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None and lines() < wanted:
        time.sleep(0.0005)
    process.kill()
    if process.wait() == -9:
        break
else:
    sys.exit(f"{path}: ended five times before it could be killed; give it more to do")
