# the summary ends with the columns of Table 1 of [ACLM11]; it says how to look at the run
"$STICKSLIP" simulate arch -q --duration 0.1 -o arch.h5
"$STICKSLIP" simulate jack-plane -q --duration 1 -o jack.h5 | grep "look at"
"$STICKSLIP" simulate jack-plane -q --duration 1 -o jack.csv | grep "look at"
echo "exit $?"
