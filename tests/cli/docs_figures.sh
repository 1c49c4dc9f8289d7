# every figure of the papers by the command that docs/models.md names, as a well-formed picture with something in it
"$PYTHON" - <<'END'
import os, re, subprocess, tempfile, xml.dom.minidom
text = open(os.environ["DOCS"] + "/models.md").read()
table = text[text.index("## The papers' figures"):]
for row in re.findall(r"^\| *\[(.*)\n", table, re.M):
    name, commands = row.split("|")[0].strip(), re.findall(r"`stickslip ([^`]*)`", row)
    for command in commands:
        words = command.split()
        folder = tempfile.mkdtemp(dir=".")  # figures of several papers have the same number
        done = subprocess.run([os.environ["STICKSLIP"], words[0], "-q", *words[1:]], cwd=folder, capture_output=True,
                              text=True)
        made = words[words.index("-o" if "-o" in words else "--svg") + 1]
        picture = xml.dom.minidom.parse(os.path.join(folder, made))
        paths = [p.getAttribute("class").split() for p in picture.getElementsByTagName("path")]
        kinds = sorted({look[-1] for look in paths if look})
        # curves and their keys; regions of an atlas: the areas between borders
        count = "" if words[0] in ("model", "trace") else sum(look[:1] in (["line"], ["region"]) for look in paths)
        print("[" + name, words[0], words[1], made, "exit", done.returncode, kinds, count)
END
