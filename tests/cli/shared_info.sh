"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
count=0
for file in $(find shared/problems/boxstacks shared/problems/global* shared/problems/local* -type f | sort); do
  "$STICKSLIP" info -q --json --dense-limit 1 "$file" > out || { echo "$file: exit $?"; continue; }
  $SHOW command > /dev/null < out && count=$((count + 1))
  echo "$(basename "$file") $($SHOW dim contacts form < out)"
done
echo "$count files"
