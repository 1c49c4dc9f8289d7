# the fields that scripts rely on, their kinds, and what a block held by friction does
"$STICKSLIP" simulate slope --json --duration 1 | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
for key in ("steps time_simulated time_s contacts_mean contacts_max solves_per_step time_per_step_ms "
            "unsolved_steps penetration_max energy output").split():
    print(key, type(r[key]).__name__)
print(r["command"], r["file"], r["steps"], r["time_simulated"], r["contacts_mean"], r["contacts_max"],
      r["unsolved_steps"], r["end"], r["solver"], r["dim"], r["bodies"])
assert r["speed_last"] < 1e-9 and r["penetration_max"] < 1e-9 and r["error_max"] <= 1e-10
assert abs(r["energy"][1] - r["energy"][0]) < 1e-8 and r["energy_balance"]["closure"] < 1e-10
'
# mu below tan(20 degrees): it slides
"$STICKSLIP" simulate slope --json --set /materials/0/mu=0.3 --duration 1 | "$PYTHON" -c '
import json, math, sys
r = json.load(sys.stdin)
a = math.radians(20)
assert abs(r["speed_last"] / (9.81 * (math.sin(a) - 0.3 * math.cos(a))) - 1) < 1e-8, r["speed_last"]
'
