# heads of blocks that are not what was written: exit 3, with file, line, what was found and what was expected
"$STICKSLIP" atlas -q square -x mu=1/10:1:8 -y push=-9/10:0.9:8 -r 1 --threads 1 -o good.jsonl > /dev/null
try() { "$STICKSLIP" atlas --merge "$@" -o map.csv < /dev/null > /dev/null; echo "exit $?"; }
with() { sed "1s~$1~$2~" good.jsonl > odd.jsonl; try odd.jsonl; }
try good.jsonl
for cells in -8 0 8.5 '"8"' true null 60000000 4294967304 99999999999999999999 NaN; do with '"cells":8' "\"cells\":$cells"; done
for refine in -1 13 1.0 null 4294967297; do with '"refine":1' "\"refine\":$refine"; done
with ',"refine":1'
sed '1s/"cells":8/"cells":1000000/g; 1s/"refine":1/"refine":12/' good.jsonl > odd.jsonl; try odd.jsonl
for from in 5 '"a"' 1e999 -Infinity; do with '"from":0.1[0-9]*' "\"from\":$from"; done
for name in nosuch push ''; do with '"name":"mu"' "\"name\":\"$name\""; done
with '"name":"mu"' "\"name\":\"$(printf %064d 0)\""
with '"x":{[^}]*}' '"x":[]'
for of in '"areas"' 3; do with '"of":"solutions"' "\"of\":$of"; done
for model in '"nosuch"' '"-"' '"nosuch.json"' '""' null; do with '"model":"square"' "\"model\":$model"; done
for parameters in '[]' '{"g":1}' '{"g":"x"}' '{"nosuch":"1"}'; do with '"parameters":{}' "\"parameters\":$parameters"; done
"$PYTHON" -c 'print("{" + ",".join(f"\"p{k}\":\"1\"" for k in range(65)) + "}")' > many
with '"parameters":{}' "\"parameters\":$(cat many)"
for tie_tol in -1 7 '"x"'; do with '"tie_tol":[^,]*' "\"tie_tol\":$tie_tol"; done
for recheck in -3 1e3 99999999999; do with '"recheck":16' "\"recheck\":$recheck"; done
with '"command":"atlas"' '"command":"bench"'
with '"version":"[^"]*"' '"version":7'
with '"source_hash":"[^"]*"' '"source_hash":7'

echo "--- in a file that is not the first; a block; what a crash leaves"
sed '1s/"refine":1/"refine":1.5/' good.jsonl > odd.jsonl; try good.jsonl odd.jsonl
for time in -1 null '"x"'; do sed "2s/\"time_s\":[^}]*/\"time_s\":$time/" good.jsonl > odd.jsonl; try odd.jsonl; done
{ head -c 4000 /dev/zero; cat good.jsonl; } > odd.jsonl; try odd.jsonl
{ head -c 60 good.jsonl; echo; cat good.jsonl; } > odd.jsonl; try odd.jsonl
"$PYTHON" -c 'print("{\"command\":" * 100000)' > odd.jsonl; try odd.jsonl
: > odd.jsonl; try odd.jsonl
