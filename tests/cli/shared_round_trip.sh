test -d shared/problems || { echo "no shared problems here"; exit 77; }
# the JSON of the original and of what came back through each format: the same to the last bit
for file in $(find shared/problems/ -type f -size -3000k | sort); do
  name=$(basename "$file")
  "$STICKSLIP" convert -q "$file" a.json > /dev/null || echo "$name: exit $?"
  for to in hdf5 mtx json; do
    "$STICKSLIP" convert -q "$file" t.$to > /dev/null || echo "$name: to $to: exit $?"
    "$STICKSLIP" convert -q t.$to b.json > /dev/null || echo "$name: from $to: exit $?"
    cmp a.json b.json
    rm -f t.* b.json
  done
done
