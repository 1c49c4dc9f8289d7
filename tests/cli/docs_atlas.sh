# the pictures in docs/cli.md and docs/multiplicity.md are what the commands draw
"$STICKSLIP" atlas -q alart -x mu=0:7 -y tan_alpha=-9:3 -o alart.svg > /dev/null
cmp alart.svg "$DOCS/atlas-alart.svg"
"$STICKSLIP" atlas -q painleve -p tan_theta=3/4 -p u0=1 -x mu=0:1.5:40 -y g=-1:1:40 -o rod.svg > /dev/null
cmp rod.svg "$DOCS/atlas-rod.svg"
