# gigabytes of nothing are refused by their first bytes (test_file.c: without asking for memory)
truncate -s 3G zeros
printf '{"dim": 2,' > braces
truncate -s 3G braces
for file in zeros braces; do
  for command in solve check certify enumerate critical status info simulate "trace --over mu=0:1" bench; do
    "$STICKSLIP" $command $file > /dev/null 2> said
    echo "$command: $?"
    grep -q "$file" said || cat said
  done
done
