# the picture in docs/cli.md is what its command draws
"$STICKSLIP" atlas -q alart -x mu=0:7 -y tan_alpha=-9:3 -o alart.svg > /dev/null
cmp alart.svg "$DOCS/atlas-alart.svg"
