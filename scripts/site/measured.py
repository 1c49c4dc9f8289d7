"""One page with everything that `make measure` wrote into the others: bench output, with its command, commit and machine."""
import re

BLOCK = re.compile(r"<!-- measured: ([a-z0-9-]+) -->\n(.*?)<!-- /measured -->\n", re.S)
HEAD = """# Benchmarks

What `make measure` printed, in one place: each table with the command that made it, the version, the commit and the
machine. The page that a table comes from says what it means.
"""


def page(pages):
    """{name: text} of all pages to the text of this one."""
    parts = [HEAD]
    for name, text in sorted(pages.items()):
        blocks = BLOCK.findall(text)
        if not blocks:
            continue
        title = re.search(r"^# (.*)$", text, re.M).group(1)
        parts.append(f"## {title}\n\nFrom [{name}]({name}).\n")
        parts += [f"### {mark}\n\n{body.strip()}\n" for mark, body in blocks if body.strip()]
    return "\n".join(parts)
