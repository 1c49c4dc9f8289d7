# what status refuses, and what others say of its files
cat > slide.json <<'END'
{"dim": 2, "mu": [0.5, 0.5], "M": [[1, 0], [0, 1]], "f": [-3, 10],
 "H": [[0, 1], [1, 0], [0, -1], [-1, 0]], "w": [0, 0, 0, 0], "gap": [0, 0.1], "rate": [0, 1, -1, 0]}
END
try() { sed "$1" slide.json > bad.json; "$STICKSLIP" status bad.json; echo "exit $?: $1"; }
try 's/0\.1\]/0]/'                       # closes: an impact
try 's/0\.1\]/-0.1]/'                    # penetrates
try 's/0\.1\]/"a"]/'
try 's/0\.1\]/0.1, 0]/'
try 's/"rate": \[0, /"rate": [/'
try 's/"gap"/"gaps"/'
try 's/"M": \[\[1, 0\]/"M": [[0, 0]/'    # singular
try 's/"M".*,$/"W": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],/; s/"H".*"w": .0, 0, 0, 0./"q": [1,0,1,0]/'
echo '{"dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[-1,2]}' > local.json
"$STICKSLIP" status local.json; echo "exit $?"
"$STICKSLIP" status missing.json; echo "exit $?"
"$STICKSLIP" status; echo "exit $?"
"$STICKSLIP" status --tol 0 slide.json; echo "exit $?"
"$STICKSLIP" status --method swep slide.json; echo "exit $?"
"$STICKSLIP" status -o nowhere/out.json slide.json; echo "exit $?"
for command in solve check certify enumerate critical; do "$STICKSLIP" $command slide.json; echo "exit $?: $command"; done
"$STICKSLIP" convert slide.json out.hdf5; echo "exit $?"
"$STICKSLIP" convert --form local slide.json out.json; echo "exit $?"
"$STICKSLIP" info --json slide.json | $SHOW instant format
cp "$DOCS/../examples/rod.json" .
"$STICKSLIP" atlas ./rod.json -x mu=0:1 -y omega=0:1; echo "exit $?"
"$STICKSLIP" atlas two-blocks -x F1=0:1 -y F2=0:1; echo "exit $?"
"$STICKSLIP" atlas --status two-blocks -x kind=0:1 -y F2=0:1; echo "exit $?"
"$STICKSLIP" model two-blocks -p kind=seperation; echo "exit $?"
sed 's/0\.1\]/0]/' slide.json > bad.json; "$STICKSLIP" status --json bad.json 2> /dev/null | $SHOW command status exit_status message
