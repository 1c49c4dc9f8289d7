"""Holds what commands print with --json against schemas/output/COMMAND.schema.json. Needs jsonschema (Debian:
python3-jsonschema); without it nothing is checked."""
import functools, json, os, pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "schemas" / "output"


@functools.cache
def validator(command):
    file = FOLDER / f"{command}.schema.json"
    if not file.exists():
        return None
    schema = json.loads(file.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def is_envelope(found):
    """Printed objects have notes; files that hold an object (certificates, tables) have none."""
    return isinstance(found, dict) and {"command", "version", "status", "notes"} <= set(found)


def keep(found):
    """One line more in the file $STICKSLIP_KEEP_JSON, for scripts/schemas."""
    if os.environ.get("STICKSLIP_KEEP_JSON") and is_envelope(found) and found["command"]:
        with open(os.environ["STICKSLIP_KEEP_JSON"], "a") as out:
            out.write(json.dumps(found) + "\n")


def complaint(found):
    """What is wrong with one object that a command printed, or None."""
    keep(found)
    if jsonschema is None or not is_envelope(found) or found["command"] is None:  # no such command: no schema
        return None
    if list(found)[:3] != ["command", "version", "status"]:
        return f"{found['command']}: command, version, status do not come first"
    judge = validator(found["command"])
    if judge is None:
        return f"schemas/output/{found['command']}.schema.json: missing"
    for error in judge.iter_errors(found):
        where = "/".join(map(str, error.absolute_path))
        return f"{found['command']} --json: /{where}: {error.message[:300]}"
    return None


def objects(text):
    """The JSON objects that begin a line of a text."""
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        if at and text[at - 1] != "\n":
            at += 1
            continue
        try:
            found, at = decoder.raw_decode(text, at)
            yield found
        except ValueError:
            at += 1
