# the pictures in docs/cli.md and docs/multiplicity.md are what the commands draw
"$STICKSLIP" atlas -q alart -x mu=0:7 -y tan_alpha=-9:3 -o alart.svg > /dev/null
cmp alart.svg "$DOCS/atlas-alart.svg"
"$STICKSLIP" atlas -q painleve -p tan_theta=3/4 -p u0=1 -x mu=0:1.5:40 -y g=-1:1:40 -o rod.svg > /dev/null
cmp rod.svg "$DOCS/atlas-rod.svg"
# and those in docs/events.md
"$STICKSLIP" atlas -q two-blocks --status -x F1=-40:40:40 -y F2=-40:40:40 -o separation.svg > /dev/null
cmp separation.svg "$DOCS/atlas-two-blocks-separation.svg"
"$STICKSLIP" atlas -q two-blocks --status -p kind=stick_slip -x F1=-40:40:40 -y F2=-40:40:40 -o slip.svg > /dev/null
cmp slip.svg "$DOCS/atlas-two-blocks-slip.svg"
