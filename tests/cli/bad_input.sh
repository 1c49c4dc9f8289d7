# exit 3, and a message that names the file
try() { for c in info solve check; do "$STICKSLIP" $c "$1"; echo "exit $?: $c $1"; done; }
try missing.json
mkdir folder.json && try folder.json
: > empty.json && try empty.json
head -c 60 problems/slip3d.json > cut.json && try cut.json
echo '{"dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[NaN,2]}' > nan.json && try nan.json
echo '{"dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[1e999,2]}' > huge.json && try huge.json
echo '{"dim":2,"mu":[-0.5],"W":[[1,0],[0,1]],"q":[-1,2]}' > mu.json && try mu.json
echo '{"dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[-1,2,3]}' > size.json && try size.json
echo '{"dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[-1,2],"Q":[1]}' > key.json && try key.json
echo '{"dim":2,"mu":[0.5],"W":[[-1,0],[0,1]],"q":[-1,2]}' > diagonal.json && try diagonal.json
echo '{"dim":2,"mu":[0.5],"M":[[-1]],"f":[1],"H":[[1],[0]],"w":[0,0]}' > pivot.json && try pivot.json
echo '{"dim":7,"mu":[0.5],"W":[[1]],"q":[-1]}' > dim.json && try dim.json
printf '{"dim":2,"title":"\377","mu":[0.5],"W":[[1,0],[0,1]],"q":[-1,2]}' > utf8.json && try utf8.json
"$PYTHON" -c 'print("["*100000)' > deep.json && try deep.json
echo '2 1 0 2 2 2 2 1 0 0' > short.dat && try short.dat
echo 'no problem at all' > text.dat && try text.dat
# a name so long that a message could lose what is wrong behind it
folder=.
for i in 1 2 3 4 5; do folder=$folder/$(printf '%0200d' $i); done
mkdir -p $folder && echo '{"dim":2,"mu":[-0.5],"W":[[1,0],[0,1]],"q":[-1,2]}' > $folder/mu.json
for place in $folder/mu.json $folder/none.json; do
  "$STICKSLIP" info $place 2> said
  echo "exit $?"
  tail -c 66 said
done
"$STICKSLIP" info --json /dev/zero
echo "exit $?"
