"$STICKSLIP" check problems/solved2d.json
echo "exit $?"
echo '{"r": [1, 0]}' > wrong.json
"$STICKSLIP" check --contacts problems/slip2d.json wrong.json
echo "exit $?"
"$STICKSLIP" check --json problems/slip2d.json wrong.json
echo "exit $?"
