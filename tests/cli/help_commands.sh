# --help, -h and help COMMAND print the same
for command in solve check certify info convert bench help; do
  "$STICKSLIP" $command --help > long
  "$STICKSLIP" $command -h > short
  "$STICKSLIP" help $command > help
  cmp long short && cmp long help
  cat long
  echo
done
