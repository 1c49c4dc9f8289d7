# pictures of mechanisms and elastic bodies from their files, without a browser; a file that is damaged
"$STICKSLIP" info --json > info.json
grep -q '"hdf5": true' info.json || { echo "this build has no HDF5" >&2; exit 77; }
"$STICKSLIP" simulate jack-plane --duration 30 -q -o jack.h5 > summary
"$STICKSLIP" simulate elastic-square -q -o square.h5 > summary
for run in jack square; do
  for kind in scene forces energy work contacts overlap error iterations phase time; do
    "$STICKSLIP" report $run.h5 --svg $kind -o $run-$kind.svg --title '<b>"&' --quiet
    echo "$run $kind $?"
  done
done
"$STICKSLIP" report square.h5 --svg scene --time 0.1 -o square-early.svg --quiet
"$PYTHON" -EsB - <<'CHECK'
import glob, xml.dom.minidom
for name in sorted(glob.glob("*.svg")):
    picture = xml.dom.minidom.parse(name)
    title = picture.getElementsByTagName("title")[0].firstChild.data
    print(name, title, "draws" if picture.getElementsByTagName("path") else "is empty")
early, late = (open(f"square-{when}.svg").read() for when in ("early", "scene"))
print("another time, another picture:", early != late and "t = 0.1;" in early and "t = 1;" in late)
# a length that does not agree with the others
data = bytearray(open("square.h5", "rb").read())
for at in range(len(data) // 2, len(data), 97):
    data[at] ^= 0x5a
open("damaged.h5", "wb").write(data)
open("cut.h5", "wb").write(data[: len(data) // 3])
CHECK
for kind in scene energy; do
  "$STICKSLIP" report square.h5 --svg $kind --time 2 -o beyond.svg; echo "beyond the end: $kind $?"
done
for run in damaged cut; do
  "$STICKSLIP" report $run.h5 --svg scene -o $run.svg --quiet 2> said
  status=$?
  test -e $run.svg && echo "$run: drawn"
  test $status -lt 5 && echo "$run: answered"
done
