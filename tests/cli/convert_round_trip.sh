"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# through each format and back: the same problem to the last bit
for problem in problems/*.json; do
  "$STICKSLIP" convert -q "$problem" a.json > /dev/null
  for to in hdf5 mtx json; do
    "$STICKSLIP" convert -q "$problem" t.$to > /dev/null
    "$STICKSLIP" convert -q t.$to b.json > /dev/null
    lost=""
    [ $to = mtx ] && lost="title guesses"
    # without normals rows are in contact frames: another spelling, judged by its solution below
    [ "$problem" = problems/normals2d.json ] && [ $to != json ] && continue
    $SAME a.json b.json $lost && echo "$problem $to"
    rm -f t.* b.json
  done
done
# Siconos text holds the problem alone, without joints
for problem in problems/*.json; do
  "$STICKSLIP" convert -q "$problem" a.json > /dev/null
  for storage in dense blocks sparse; do
    "$STICKSLIP" convert -q "$problem" t.dat --storage $storage > /dev/null 2> said
    if [ $? != 0 ]; then grep -q "no place for the . bilateral" said && echo "$problem: joints"; break; fi
    "$STICKSLIP" convert -q t.dat b.json > /dev/null
    [ "$problem" = problems/normals2d.json ] && continue
    $SAME a.json b.json title guesses solution && echo "$problem dat $storage"
    rm -f t.dat b.json
  done
done
"$STICKSLIP" convert -q problems/normals2d.json t.hdf5 > /dev/null
"$STICKSLIP" solve -q -o t.json t.hdf5 > /dev/null && $SHOW r u v < t.json
