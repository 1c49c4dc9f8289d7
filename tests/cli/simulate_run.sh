# run files: described, converted for ParaView, refused where they do not fit
"$STICKSLIP" simulate slope -q --duration 0.5 -o run.h5 --json | $SHOW steps output unsolved_steps
"$STICKSLIP" info run.h5
"$STICKSLIP" info --json run.h5 | $SHOW kind finished dim bodies externals steps frames unsolved_steps
"$STICKSLIP" convert -q run.h5 run.pvd
ls run | wc -l
grep -c DataSet run.pvd
"$STICKSLIP" convert run.h5 run.json
echo "exit $?"
"$STICKSLIP" solve run.h5
echo "exit $?"
"$STICKSLIP" simulate slope -o run.txt
echo "exit $?"
"$STICKSLIP" simulate slope --resume
echo "exit $?"
"$STICKSLIP" simulate slope -o nowhere/run.h5
echo "exit $?"
head -c 20000 run.h5 > cut.h5
"$STICKSLIP" info cut.h5
echo "exit $?"
