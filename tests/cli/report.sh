# pages: usage, inputs that are none, damaged and unfinished runs, hostile names
"$STICKSLIP" info --json > info.json
grep -q '"viewer": true' info.json || { echo "this build has no viewer" >&2; exit 77; }
try() { "$STICKSLIP" report "$@"; echo "exit $?"; }
try
try run.h5
try nothing.h5 -o page.html
try -o - --json nothing.json
echo '{"dim": 2}' > problem.json
try problem.json -o page.html
echo 'not JSON' > text.json
try text.json -o page.html
try text.json -o text.json
try text.json -o nowhere/page.html
try text.json -o page.html --size 0
cat > scene.json <<'SCENE'
{"title": "</script><script>alert(1)</script>\u202e\"'&\n", "dim": 2,
 "materials": [{"name": "</title>", "mu": 0.3, "density": 1}],
 "bodies": [{"name": "<img src=x onerror=alert(2)>", "shape": {"kind": "sphere", "radius": 1}, "position": [0, 1.2]}],
 "externals": [{"name": "floor", "shape": {"kind": "plane"}}],
 "stepping": {"step": 0.01, "duration": 0.5}}
SCENE
"$STICKSLIP" simulate scene.json -q -o run.h5 > summary
# a file name with a quote and markup in it
cp run.h5 '<b>"run.h5'
"$STICKSLIP" report '<b>"run.h5' -o page.html --json --title '</title><script>alert(3)</script>' | grep -v '"bytes"'
echo "exit $?"
# no value of the input is markup: the only elements are those of the page itself
python3 - <<'CHECK'
import re
page = open("page.html").read()
print("alert as text only:", all(page[m.start() - 1] != "<" and "<script>alert" not in page for m in re.finditer("alert", page)))
print("scripts:", len(re.findall("<script", page.split("id=\"payload\"")[0])), "before the data")
print("title:", re.search("<title>(.*?)</title>", page).group(1))
print("asks for nothing:", not re.search(r'(src|href)="(https?:)?//', page))
CHECK
# cut off in the middle
head -c 3000 run.h5 > cut.h5
try cut.h5 -o cut.html
ls cut.html 2> /dev/null
# not finished: what is saved so far, and a word about it
mkdir part.h5.parts
cp run.h5 part.h5.parts/00000000.h5
try part.h5 -o part.html > out
grep -c '"finished":false' part.html
# pictures, each well-formed, whatever the title
for kind in scene energy work contacts overlap error iterations forces nonsense; do
  "$STICKSLIP" report run.h5 --svg $kind -o $kind.svg --title '<b>"&' --quiet
  echo "$kind $?"
done
python3 - <<'CHECK'
import glob, xml.dom.minidom
for name in sorted(glob.glob("*.svg")):
    title = xml.dom.minidom.parse(name).getElementsByTagName("title")[0].firstChild.data
    print(name, title)
CHECK
try run.h5 run.h5 --svg scene -o two.svg
try info.json --svg scene -o none.svg
