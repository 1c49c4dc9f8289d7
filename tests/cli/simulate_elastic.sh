# elastic bodies and structures: fields, outputs, what is refused
"$STICKSLIP" simulate matrix-slider --json --quiet | $SHOW command kind dim dofs contacts scheme steps end unsolved_steps states
"$STICKSLIP" simulate elastic-square --json --quiet -o run.csv | $SHOW kind dofs contacts scheme steps states output
wc -l < run.csv; wc -l < run-contacts.csv; head -1 run-contacts.csv
"$STICKSLIP" simulate pulled-block --quiet -n 3 -o run.pvd > /dev/null; ls run
"$STICKSLIP" simulate pulled-block --quiet --set /stepping/scheme=velocity -n 2 --dump-step 2:step.json --json | $SHOW scheme steps end
"$STICKSLIP" check step.json --json | $SHOW status
"$STICKSLIP" model elastic-blocks -p mu=3 -p pressure=0.001 -p pull=-0.016 -p lift=-0.005 -p shear=0.011 > blocks.json
"$STICKSLIP" enumerate -q blocks.json --json | $SHOW count complete
"$STICKSLIP" model elastic-square -p n=6 -o square.json > /dev/null
"$STICKSLIP" critical -q square.json --all-slip --json | $SHOW pattern patterns_checked
"$STICKSLIP" critical -q square.json -c bijective --json | $SHOW pattern
change() { "$STICKSLIP" simulate elastic-square --quiet --set "$1"; echo "exit $?"; }
change /supports/0/on=tap
change '/supports/0={"on":"top","y":0}'
change '/bodies/0/mesh={"file":"bad.msh"}'
printf '$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 3 2\n$EndElements\n' > bad.msh
change '/bodies/0/mesh={"file":"bad.msh"}'
change '/obstacles/0/mu=-1'
change '/stepping/scheme=fast'
"$STICKSLIP" simulate elastic-square --drift gap; echo "exit $?"
"$STICKSLIP" simulate elastic-square -o run.txt; echo "exit $?"
