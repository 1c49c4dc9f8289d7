# a live bar where it is one, erased at the end
"$PYTHON" - <<'END'
import os, pty, re, subprocess
master, slave = pty.openpty()
run = subprocess.Popen([os.environ["STICKSLIP"], "solve", "--time-limit", "1", "--max-iter", "2000000000",
                        "problems/jam2d.json"], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
text = b""
while True:
    try:
        piece = os.read(master, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece
print("exit", run.wait())
bars = re.findall(rb"\r\x1b\[K\w+ \[[#.]{24}\] iteration \d+  error \S+  [\d.]+ s", text)
print("bars between 3 and 12:", 3 <= len(bars) <= 12, "erased:", text.endswith(b"\r\x1b[K"))
END
