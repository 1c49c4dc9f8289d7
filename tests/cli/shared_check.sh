"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# the solutions stored there are all zeros: they solve nothing
for file in shared/problems/boxstacks/*.hdf5; do
  "$STICKSLIP" check -q --json "$file" > out
  echo "$(basename "$file") exit $? $($SHOW status < out)"
done
