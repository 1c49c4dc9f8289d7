"""Ending processes, and how long that takes."""
import subprocess, time


def stretch():
    """How much longer than alone a little work takes now: others may want the processors, too."""
    wall, own = time.monotonic(), time.process_time()
    while time.process_time() - own < 0.02:
        pass
    return max(1, (time.monotonic() - wall) / (time.process_time() - own))


def end_after(process, seconds, number):
    """Sends a signal after so many seconds, if it still runs then; exit status, and how long its end took."""
    try:
        return process.wait(seconds), 0.0
    except subprocess.TimeoutExpired:
        pass
    sent = time.monotonic()
    process.send_signal(number)
    status = process.wait()
    return status, time.monotonic() - sent
