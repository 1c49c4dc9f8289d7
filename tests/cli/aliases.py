"""Words that people know from other tools, each in a scene of its own: what simulate answers. usage: aliases.py COMMAND"""
import json, subprocess, sys

SHAPE = {"kind": "box", "size": [1, 1, 1]}
SCENE = {"materials": [{"name": "m", "mu": 0.3}], "externals": [{"shape": {"kind": "plane"}}],
         "bodies": [{"name": "a", "shape": SHAPE, "position": [0, 0, 2]}, {"name": "b", "shape": SHAPE, "position": [5, 0, 2]}],
         "stepping": {"step": 0.01, "duration": 0.02}}
JOINT = {"kind": "ball", "a": "a", "b": "b", "anchor": [0, 0, 0]}
SPRING = {"a": "a", "b": "b", "stiffness": 1}


def renamed(object, old, new):
    return {new if k == old else k: v for k, v in object.items()}


def scenes():
    for word in "cube Cuboid brick BLOCK ball bead circle disc ground floor half-space rod pill tube mesh convex_hull polyhedron".split():
        yield word, {"bodies": [{"shape": {**SHAPE, "kind": word}}]}
    for word in "weld lock revolute pin prismatic slide spherical ball_and_socket ballJoint".split():
        yield word, {"joints": [{**JOINT, "kind": word}]}
    for old, words in {"kind": "type", "a": "body_a parent body1", "b": "bodyB child", "anchor": "pivot origin"}.items():
        for word in words.split():
            yield f"joint {word}", {"joints": [renamed(JOINT, old, word)]}
    for word in "friction friction_coefficient mu_s".split():
        yield word, {"materials": [{"name": "m", word: 0.3}]}
    for word in "bounce bounciness elasticity e rho mass".split():
        yield f"material {word}", {"materials": [{"name": "m", "mu": 1, word: 0.3}]}
    for kind, keys in {"sphere": "size r diameter", "box": "radius half_extents halfExtents extents width density",
                       "cylinder": "height half_height", "hull": "vertices"}.items():
        for key in keys.split():
            yield f"{kind} {key}", {"bodies": [{"shape": {"kind": kind, key: 1}}]}
    for key in ("static fixed type pos location orientation quaternion angular_velocity omega linear_velocity weight"
                " friction restitution radius geometry force").split():
        yield f"body {key}", {"bodies": [{**SCENE["bodies"][0], key: 1}]}
    for key in "mass velocity belt friction".split():
        yield f"external {key}", {"externals": [{"shape": {"kind": "plane"}, key: 1}]}
    for key in "dt timestep h t_end tolerance steps".split():
        yield f"stepping {key}", {"stepping": {**SCENE["stepping"], key: 1}}
    for key in "tolerance eps iterations algorithm".split():
        yield f"solver {key}", {"solver": {key: 1}}
    for key in "objects constraints forces g dimension dt tol friction ground obstacles".split():
        yield f"scene {key}", {key: 1}
    for key in "k c l0".split():
        yield f"spring {key}", {"springs": [{**SPRING, key: 1}]}
    yield "load torque", {"loads": [{"body": "a", "torque": [1, 0, 0]}]}


for name, change in scenes():
    done = subprocess.run([sys.argv[1], "simulate", "-"], input=json.dumps({**SCENE, **change}), capture_output=True, text=True)
    said = done.stderr.strip().replace("stickslip: standard input: ", "")
    print(f"{name}: {'accepted' if done.returncode == 0 else said}")
