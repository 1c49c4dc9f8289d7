"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# HDF5 of another kind, cut off, or with one byte changed: exit 3 or a proper answer, never a crash
try() { "$STICKSLIP" info "$1" > /dev/null; echo "exit $?: $1"; }
printf '\211HDF\r\n\032\n and no more' > short.hdf5 && try short.hdf5
"$STICKSLIP" convert -q problems/solved2d.json good.hdf5 > /dev/null
size=$(wc -c < good.hdf5)
for part in 10 50 90; do head -c $((size * part / 100)) good.hdf5 > cut$part.hdf5; try cut$part.hdf5; done
"$STICKSLIP" convert -q problems/solved2d.json set.mtx > /dev/null
cp good.hdf5 set.W.mtx && try set.mtx
at=0
while [ $at -lt "$size" ]; do
  cp good.hdf5 bad.hdf5
  printf '\377' | dd of=bad.hdf5 bs=1 seek=$at conv=notrunc 2> /dev/null
  "$STICKSLIP" info -q bad.hdf5 > /dev/null 2> message
  status=$?
  [ $status = 0 ] || { [ $status = 3 ] && grep -q '^stickslip: bad.hdf5: ' message; } ||
    { echo "byte $at: exit $status"; cat message; }
  at=$((at + 131))
done
