# a signal within a block of costly problems: exit 4, what there is to go on with is said, and no part of a block stays
for signal in INT TERM; do
  for threads in 1 2; do
    rm -f blocks.jsonl
    timeout --foreground --preserve-status -s $signal 2 "$STICKSLIP" atlas -q elastic-square -p n=30 \
      -x mu=0.1:1:16 -y shift=-0.3:0.3:16 --threads $threads --shard 1/2 -o blocks.jsonl
    echo "exit $?, lines: $(wc -l < blocks.jsonl), blocks: $(grep -c '"block"' blocks.jsonl)"
  done
done
timeout --foreground --preserve-status -s INT 2 "$STICKSLIP" atlas -q elastic-square -p n=30 -x mu=0.1:1:16 -y shift=-0.3:0.3:16 -o map.svg
echo "exit $?, map: $(ls | grep -c map)"
