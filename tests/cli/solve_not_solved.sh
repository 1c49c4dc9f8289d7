# no solution exists: the certificate says who jams, enumeration proves it
"$STICKSLIP" solve --json --quiet --max-iter 200 --dump-on-failure dump.json problems/jam2d.json > out
echo "exit $?"
$SHOW status stop_reason diagnosis/existence diagnosis/margin diagnosis/jamming_contacts < out
"$STICKSLIP" convert -q problems/jam2d.json - > original
"$STICKSLIP" convert -q dump.json - | cmp original - && echo "the dump is the problem"
"$STICKSLIP" solve --quiet --max-iter 200 problems/jam2d.json
echo "exit $?"
