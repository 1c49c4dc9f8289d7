"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# the JSON of the original and of what came back through each format: the same to the last bit
count=0
for file in $(find shared/problems/boxstacks shared/problems/global* shared/problems/local* -type f | sort); do
  name=$(basename "$file")
  "$STICKSLIP" convert -q "$file" a.json > /dev/null || echo "$name: exit $?"
  for to in hdf5 mtx dat json; do
    "$STICKSLIP" convert -q "$file" t.$to > /dev/null || echo "$name: to $to: exit $?"
    "$STICKSLIP" convert -q t.$to b.json > /dev/null || echo "$name: from $to: exit $?"
    case $to in
      mtx) $SAME a.json b.json title description math_info guesses || echo "$name: $to" ;;
      dat) $SAME a.json b.json title description math_info guesses solution || echo "$name: $to" ;;
      *) cmp a.json b.json || echo "$name: $to" ;;
    esac
    rm -f t.* b.json
  done
  count=$((count + 1))
done
echo "$count files"
