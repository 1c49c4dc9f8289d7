# lines where standard error is not a terminal, about one per second; a bar where it is one, erased at the end
"$STICKSLIP" bench problems/jam2d.json --json --time-limit 2.5 --max-iter 2000000000 --solvers nsgs > out
"$PYTHON" - <<'END2'
import os, pty, re, subprocess
master, slave = pty.openpty()
run = subprocess.Popen([os.environ["STICKSLIP"], "bench", "--time-limit", "1", "--max-iter", "2000000000", "--solvers", "nsgs",
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
bars = re.findall(rb"\r\x1b\[K\[[#.]{24}\] 0/1  nsgs  tol 1e-8  jam2d.json  [\d.]+ s", text)
print("bars between 3 and 12:", 3 <= len(bars) <= 12, "erased:", text.endswith(b"\r\x1b[K"))
END2
