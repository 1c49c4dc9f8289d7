# the answer as JSON and, with its problem, as FCLIB; the same bytes every time
"$STICKSLIP" solve problems/bilateral2d.json -o a.json > /dev/null
"$STICKSLIP" solve --output=b.json problems/bilateral2d.json > /dev/null
cmp a.json b.json && cat a.json
"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
"$STICKSLIP" solve -o a.hdf5 problems/bilateral2d.json > /dev/null
"$STICKSLIP" check --json problems/bilateral2d.json a.hdf5 | $SHOW status u_difference
"$STICKSLIP" check --json a.hdf5 | $SHOW status u_difference contacts bilateral
"$STICKSLIP" solve --json --guess a.hdf5 problems/bilateral2d.json | $SHOW status iterations
# a failed run leaves what was there before, and nothing aside
echo before > kept.json
"$STICKSLIP" solve -o kept.json missing.json
cat kept.json
ls -A | grep -v -e problems -e shared
