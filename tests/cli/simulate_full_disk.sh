# a disk that is full: said, exit status 4, what was written stays, --resume completes it to the same file
set -- simulate slope -q --duration 2
"$STICKSLIP" "$@" -o whole.h5 > out || exit 1
unshare -rm true 2> /dev/null || { echo "no mounts of one's own here"; exit 77; }
mkdir disk
export whole=$(stat -c %s whole.h5)
unshare -rm sh -s "$@" << 'END'
mount -t tmpfs -o size=16k none disk 2> /dev/null || { echo "no mounts of one's own here"; exit 77; }
echo "no room for the first part"
"$STICKSLIP" "$@" -o disk/run.h5
echo "exit $?"
find disk -type f | sort | head -1
echo "room for the parts, none for the run"
mount -o remount,size=$((whole + whole / 4)) disk
"$STICKSLIP" "$@" -o disk/run.h5 --resume
echo "exit $?"
find disk -type f | sort | head -1
"$STICKSLIP" info --json disk/run.h5 | $SHOW kind finished steps
"$STICKSLIP" "$@" -o disk/run.h5
echo "exit $?"
echo "room"
mount -o remount,size=10m disk
"$STICKSLIP" "$@" -o disk/run.h5 --resume --json | $SHOW steps unsolved_steps
cmp whole.h5 disk/run.h5 && echo "the same file"
find disk -type f | sort | head -1
mount -o remount,ro disk
"$STICKSLIP" "$@" -o disk/other.h5
echo "exit $?"
END
