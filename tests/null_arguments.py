"""Writes a C program that calls every function of include/stickslip/*.h with each of its pointers NULL in turn and
with none, the others good: objects of tests/support/good_arguments.h where it has one of that type, else zeros.
usage: null_arguments.py OUT.c good_arguments.h HEADER..."""
import re, sys

DECLARATION = re.compile(r"SS_API\s+([^;{]*?)\b(ss_\w+)\s*\(([^;]*?)\)\s*(?:SS_PRINTF\([^)]*\))?;", re.S)


def split(text):
    """Parameters, those of function pointers in one piece."""
    out, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [" ".join(p.split()) for p in out]


def parse(parameter):
    """(type, name, is a pointer): `double x[3]` is `double *x`."""
    called = re.fullmatch(r"(.*?)\(\*(\w+)\)(\(.*\))", parameter)
    if called:
        return f"{called[1]}(*){called[3]}", called[2], True
    array = re.fullmatch(r"(.*?)(\w+)\[\d*\]", parameter)
    if array:
        return f"{array[1].strip()} *", array[2], True
    plain = re.fullmatch(r"(.*?)(\w+)", parameter)
    kind = plain[1].strip()
    return kind, plain[2], kind.endswith("*") or kind in ("ss_atlas_problem", "ss_trace_problem")


def declarations(headers):
    for header in headers:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", open(header).read(), flags=re.S)
        for result, name, parameters in DECLARATION.findall(text):
            yield " ".join(result.split()), name, [parse(p) for p in split(parameters)] if parameters != "void" else []


def good(kind, pointer):
    base = re.sub(r"\bconst\b|\*", "", kind).strip()
    if kind.endswith("(*)") or "(*)" in kind or kind in ("ss_atlas_problem", "ss_trace_problem"):
        return f"({kind})0"  # a callback: none
    if not pointer:
        return "(size_t)1" if kind == "size_t" else f"({kind})1" if kind in ("int", "double", "int64_t") else f"({kind})0"
    if kind.count("*") == 1 and base.startswith("ss_"):
        return f"({kind})good_{base}" if base in known else f"({kind})good_room()"
    if kind == "char *":
        return "(char *)0"  # of the library's own memory, to be released
    return "good_text()" if kind == "const char *" else f"({kind})good_room()"


def whole_call(result, name, parameters, words):
    """A call with no context, and the release of what it made: an object behind `ss_x **`, or in a struct of the caller's."""
    made, released = [], []
    for i, (kind, called, pointer) in enumerate(parameters):
        base = re.sub(r"\bconst\b|\*", "", kind).strip()
        if kind.endswith("**") and (base in destroyers or kind == "char **"):
            made.append(f"{kind[:-1]}{called} = 0;")
            released.append(f"ss_text_destroy(0, {called});" if kind == "char **" else
                            f"if ({called}) {destroyers[base]}(({base} *){called});")
            words[i] = f"&{called}"
        elif kind == f"{base} *" and destroyers.get(base, "").endswith("_release"):
            made.append(f"{base} {called} = {{0}};")
            released.append(f"{destroyers[base]}(&{called});")
            words[i] = f"&{called}"
    text = f'(void){name}({", ".join(words)});'
    return f'  try_here("{name}");\n  {{ {" ".join(made)} {text} {" ".join(released)} }}'


def calls(result, name, parameters):
    acts_on = re.sub(r"\bconst\b|\*", "", parameters[0][0]).strip() if parameters else ""
    if result == "ss_error" and acts_on in known and acts_on != "ss_context":  # those with a ctx are called whole below
        yield f'  TRY("{name}", "", 0, (int){name}({", ".join(good(t, p) for t, _, p in parameters)}));'
    for k, (kind, _, pointer) in enumerate(parameters):
        if not pointer:
            continue
        words = [f"({t})0" if i == k else good(t, p) for i, (t, _, p) in enumerate(parameters)]
        must_fail = result == "ss_error" and parameters[k][1] == "out"
        answer = f"(int){name}({', '.join(words)})" if result == "ss_error" else f"((void){name}({', '.join(words)}), 0)"
        if parameters[k][1] == "ctx":  # may be NULL everywhere: the call does all of its work
            yield whole_call(result, name, parameters, words)
            continue
        yield f'  TRY("{name}", "{parameters[k][1]}", {int(must_fail)}, {answer});'


out, good_arguments, *headers = sys.argv[1:]
known = set(re.findall(r"\bgood_(ss_\w+)", open(good_arguments).read()))
destroyers = {re.sub(r"\*", "", parameters[0][0]).strip(): name for result, name, parameters in declarations(headers)
              if result == "void" and len(parameters) == 1 and re.search("_(destroy|close|release|end|stop|abandon)$", name)}
rows = [line for declared in declarations(headers) for line in calls(*declared)]
with open(out, "w") as f:
    f.write('#include "good_arguments.h"\n\nvoid try_all(void) {\n' + "\n".join(rows) + "\n}\n")
