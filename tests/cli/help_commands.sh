# --help, -h and help COMMAND print the same
for command in $("$STICKSLIP" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sed '/^auto$/,$d'); do
  "$STICKSLIP" $command --help > long
  "$STICKSLIP" $command -h > short
  "$STICKSLIP" help $command > help
  cmp long short && cmp long help
  cat long
  echo
done
