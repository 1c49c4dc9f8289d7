# through FCLIB, Matrix Market and JSON and back: the same problem to the last bit
for problem in problems/*.json; do
  "$STICKSLIP" convert -q "$problem" a.json > /dev/null
  "$STICKSLIP" convert -q a.json b.json > /dev/null
  cmp a.json b.json && echo "$problem json"
  grep -v -e normals "$problem" > plain.json
  for to in hdf5 mtx; do
    "$STICKSLIP" convert -q "$problem" t.$to > /dev/null
    "$STICKSLIP" convert -q t.$to b.json > /dev/null
    "$STICKSLIP" convert -q t.$to u.$to > /dev/null
    "$STICKSLIP" convert -q u.$to c.json > /dev/null
    cmp b.json c.json && echo "$problem $to"
    rm -f t.* u.*
  done
done
