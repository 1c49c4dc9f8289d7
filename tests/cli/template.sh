# a JSON problem with parameters: filled in, mapped, and what is wrong with it said
cat > spring.json <<'END'
{"parameters": {"mu": "1/2", "theta": 0.6435011087932844, "pull": 0.6, "s": "=sin(theta)", "c": "=cos(theta)"},
 "title": "a particle", "dim": 2, "mu": ["=mu"], "M": [["=1 + c^2", "=s*c"], ["=s*c", "=s^2"]],
 "f": [-1, "=-pull"], "H": [[-1, 0], [0, 1]], "w": [0, 0]}
END
"$STICKSLIP" model spring.json -p pull=1/4 -p mu=2 | $SHOW title description mu M f H w
"$STICKSLIP" model - -p theta=0.5 < spring.json | $SHOW M
"$STICKSLIP" model klarbring -p mu=2 -p f_t=1/4 | $SHOW mu f
"$STICKSLIP" atlas -q ./spring.json -x mu=0:2:20 -y pull=-2:2:20 --json > a.json
"$STICKSLIP" atlas -q klarbring -x mu=0:2:20 -y f_t=-2:2:20 --json > b.json
"$PYTHON" - <<'END'
import json
a, b = (json.load(open(f)) for f in ("a.json", "b.json"))
print(len(a["kinds"]), a["kinds"] == b["kinds"], a["model"])
END
wrong() {
  sed "$1" spring.json > bad.json
  shift
  "$STICKSLIP" model bad.json "$@" > out; echo "exit $? $(wc -c < out)"
}
wrong 's/"=s^2"/"=s^^2"/'
wrong 's/"=s^2"/"=s*(1+c"/'
wrong 's/"=s^2"/"=snn(1)"/'
wrong 's/"=s^2"/"=thet"/'
wrong 's/"=s^2"/"=1\/(s-s)"/'
wrong 's/"=s^2"/"=1 2"/'
wrong 's/"=s^2"/"="/'
wrong 's/"=sin(theta)"/"=c"/'
wrong 's/"parameters"/"parametres"/'
wrong 's/"mu": "1/"m u": "1/'
wrong 's/"=mu"/"=pull", 3/'
wrong 's/x/x/' -p pul=1
wrong 's/x/x/' -p pull=one
printf '{"parameters": {"a": 1}, "dim": 2, "mu": ["=%s1%s"]}' "$(printf '%0300d' 0 | tr 0 '(')" "$(printf '%0300d' 0 | tr 0 ')')" > bad.json
"$STICKSLIP" model bad.json > out; echo "exit $?"
"$STICKSLIP" solve -q spring.json > out; echo "exit $?"
"$STICKSLIP" model "$DOCS/../examples/spring.json" | $SHOW title mu M f
