"""No byte that a terminal obeys comes out of any command, whatever the names of files and what they say: 100 hostile
strings as file names, titles and names of bodies. usage: hostile_text.py COMMAND"""
import json, os, random, subprocess, sys

command = sys.argv[1]
pieces = ["\x1b[2J", "\x1b]0;owned\x07", "\x07", "\r", "\x9b31m", "\x90", "\x7f", "\x08", "\x0b", "\x1b(0", "\x01", "\t",
          "\n", "é", "plain", "\u202e", "\x85"]
rng = random.Random(7)
strings = [rng.choice(pieces) + "".join(rng.choice(pieces) for _ in range(rng.randrange(4))) for _ in range(100)]
problem = {"dim": 2, "mu": [0.5], "W": [[1, 0], [0, 1]], "q": [-1, 0.1]}
scene = {"materials": [{"name": "m", "mu": 0.3}], "externals": [{"shape": {"kind": "plane"}}],
         "stepping": {"step": 0.01, "duration": 0.01}}
sphere = {"shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.2]}
template = {"parameters": {"a": 1}, "dim": 2, "mu": [0.5], "W": [[1, 0], [0, 1]], "q": ["=-a", 0.1]}


URDF = '''<robot name="{0}"><link name="world"/><link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry>
</collision><unknown/></link><joint name="{0}j" type="revolute"><parent link="world"/><child link="{0}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1"/></joint></robot>'''


def xml(text):
    """What XML 1.0 allows of it: it has no word for most control characters, but C1 ones are allowed."""
    return "".join(c for c in text if ord(c) >= 32 or c in "\t\n\r")


def obeyed(out):
    """What a terminal that reads UTF-8 would obey in it."""
    try:
        text = out.decode()
    except UnicodeDecodeError:
        return True
    return any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in text)


def run(*words, lines):
    done = subprocess.run([command, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    if done.returncode < 0:
        sys.exit(f"{words}: ended by signal {-done.returncode}")
    for out in (done.stdout, done.stderr):
        if obeyed(out) or out.count(b"\n") > lines:
            sys.exit(f"{words}: {out!r}")


def write(name, what):
    with open(name, "w", encoding="utf-8", errors="surrogatepass") as f:
        json.dump(what, f)
    return name


for k in range(0, len(strings), 10):  # ten at a time, each through every command
    text = "".join(strings[k:k + 10])
    p = write(f"{text}.json", dict(problem, title=text, description=text))
    s = write(f"{text}.scene.json", dict(scene, title=text, bodies=[dict(sphere, name=text)]))
    both = write(f"{text}.both.json", dict(scene, bodies=[dict(sphere, name=text), dict(sphere, name=text + "2")]))
    bad = write(f"{text}.bad.json", dict(problem, **{text: 1}))
    t = write(f"{text}.template.json", dict(template, title=text))
    for words in (["solve", p], ["certify", p], ["enumerate", p], ["critical", p], ["status", p], ["info", p]):
        run(*words, lines=60)
        run(*words, "--json", lines=200)
    run("simulate", s, lines=40), run("simulate", s, "--json", lines=200), run("simulate", s, "--check", lines=40)
    run("simulate", both, lines=3), run("simulate", s, "--scheme", "events", lines=60), run("info", s, lines=40)
    run("solve", bad, lines=3), run("solve", bad, "--json", lines=20), run("solve", text, lines=3), run(text, lines=3)
    run("solve", "--" + text, lines=3), run("solve", "-s", text, p, lines=3), run("simulate", s, "--set", text, lines=3)
    run("model", text, lines=3), run("help", text, lines=3), run("check", p, s, lines=4)
    run("model", t, "-o", f"{text}.out.json", lines=4), run("convert", p, f"{text}.h5", lines=4)
    run("info", f"{text}.h5", lines=40), run("bench", p, "-s", "nsgs", lines=30)
    run("atlas", t, "-x", "a=0:1:4", "-y", "a=0:1:4", lines=30), run("trace", t, "--over", "a=0:1", lines=60)
    run("simulate", s, "-o", f"{text}.run.h5", lines=40), run("info", f"{text}.run.h5", lines=20)
    run("derive", p, lines=40), run("derive", p, "--along", text, lines=4), run("status", f"{text}.run.h5", "--step", "1", lines=40)
    run("sweep", s, "-p", "mu=0.1:0.2:2", "-f", "title,status", lines=20), run("sweep", s, "-p", f"{text}=0:1:2", lines=4)
    run("sweep", s, "-p", "mu=0.1:0.2:2", "-f", text.replace(",", ""), lines=4), run("sweep", both, "-p", "mu=0.1:0.2:2", lines=20)
    run("report", f"{text}.run.h5", "-o", f"{text}.html", lines=6), run("report", bad, "-o", f"{text}.2.html", lines=6)
    run("convert", f"{text}.run.h5", f"{text}.csv/", lines=6), run("convert", f"{text}.run.h5", f"{text}.pvd", lines=6)
    u = f"{text}.urdf"
    with open(u, "w", encoding="utf-8") as f:
        f.write(URDF.format(xml(text)))
    run("import", u, "-o", f"{text}.import.json", lines=20), run("import", u, "-p", f"{text}=1", "-o", f"{text}.j.json", lines=6)
    run("simulate", f"{text}.import.json", "--check", lines=40), run("import", p, lines=4), run("import", text, lines=4)
    run("serve", text + ".none", lines=4), run("serve", p, lines=4), run("serve", "--" + text, lines=4), run("simulate", s, text, lines=4)
print(len(strings), "hostile strings: nothing obeyed")
