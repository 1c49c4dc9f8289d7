# r, u, v and l in the JSON itself, the same numbers as in the file that -o writes
same() {
  "$STICKSLIP" solve "$1" --json --with-solution -o file.json -q > out.json; echo "$1 exit $?"
  "$PYTHON" -c '
import json; inside, file = json.load(open("out.json"))["solution"], json.load(open("file.json"))
assert all(inside[k] == file[k] for k in inside) and set(inside) == {k for k in file if k in "ruvl"}; print(*inside)'
}
for name in slip3d bilateral2d normals2d bilateral_local2d; do same problems/$name.json; done
"$STICKSLIP" solve problems/slip3d.json --json -q | grep -c '"solution"'
"$STICKSLIP" solve problems/slip3d.json --with-solution; echo "exit $?"
"$STICKSLIP" solve problems/slip3d.json --json -o -; echo "exit $?"
