"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
"$STICKSLIP" convert problems/solved2d.json out.hdf5
"$STICKSLIP" convert out.hdf5 back.json
"$STICKSLIP" check -q --json back.json | $SHOW status
"$STICKSLIP" convert problems/solved2d.json set.mtx
"$STICKSLIP" convert --json problems/solved2d.json set.mtx | $SHOW file from output to solution lost
"$STICKSLIP" convert --form local problems/bilateral2d.json local.json
"$STICKSLIP" solve --json local.json | $SHOW form bilateral status
"$STICKSLIP" convert --to json problems/slip2d.json named.txt && "$STICKSLIP" info named.txt | head -1
"$STICKSLIP" convert --form global problems/slip2d.json out.json
echo "exit $?"
"$STICKSLIP" convert set.mtx set.W.mtx
echo "exit $?"
# a folder that is there takes a set, and gives it back
mkdir folder
"$STICKSLIP" convert problems/solved2d.json folder && ls folder
"$STICKSLIP" convert folder again.json && "$STICKSLIP" convert -q problems/solved2d.json once.json > /dev/null && $SAME once.json again.json title guesses
"$STICKSLIP" convert --json --to mtx problems/solved2d.json folder/ | $SHOW output to
for out in folder folder/problem.mtx folder/problem.W.mtx; do
  "$STICKSLIP" convert folder $out
  echo "exit $?"
done
"$STICKSLIP" convert folder/problem.mtx folder
echo "exit $?"
"$STICKSLIP" convert folder folder/other.mtx
"$STICKSLIP" convert --to json problems/solved2d.json folder
echo "exit $?"
"$STICKSLIP" convert problems/solved2d.json ""
echo "exit $?"
