# - is standard input, and standard output for JSON
"$STICKSLIP" solve -q -o - problems/slip3d.json | "$STICKSLIP" check problems/slip3d.json -
"$STICKSLIP" convert -q problems/normals2d.json - | "$STICKSLIP" convert -q - - > twice
"$STICKSLIP" convert -q problems/normals2d.json - | cmp - twice && echo "same after a second pass"
"$STICKSLIP" info - < problems/slip2d.json | head -1
"$STICKSLIP" info --json - < problems/slip2d.json | $SHOW file contacts
"$STICKSLIP" solve -o - problems/slip2d.json > answer.json
