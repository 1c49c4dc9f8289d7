"""The reference, from the public headers: a page for each, in the header's own order, with its signatures and comments.

A header is: comments that introduce it; then pieces with empty lines between them, each a comment and what it is about.
A line `// ---- title ---` begins a section."""
import html
import re

NAME = re.compile(r"\b(ss_\w+|SS_\w+)\b")
SECTION = re.compile(r"^// -{3,} (.*?) -*$")
SKIP = re.compile(r'^#(pragma|include|ifdef __cplusplus|endif|else|undef)|^extern "C" \{|^\}$')


def introduction(lines):
    """(summary, lines of the comment, what follows)."""
    comment = []
    while lines and lines[0].startswith("//"):
        comment.append(lines.pop(0)[3:])
    summary = re.sub(r"^stickslip/\S+ - ", "", " ".join(comment[:1 + next((k for k, c in enumerate(comment[1:]) if not c), len(comment))]))
    return summary, comment, lines


def pieces(lines):
    """What stands between empty lines, braces kept together."""
    found, depth = [[]], 0
    for line in lines:
        if not line.strip() and depth == 0:
            found.append([])
            continue
        if depth == 0 and SKIP.match(line):
            continue
        depth += line.split("//")[0].count("{") - line.split("//")[0].count("}")
        found[-1].append(line)
    return [piece for piece in found if piece and not re.match(r"#if|#define SS_API", piece[0])]


def declared(code):
    """The names that a piece declares, in its order."""
    plain = re.sub(r"//.*", "", code)
    found = re.findall(r"^SS_API [^(;]*?\b(ss_\w+)\(", plain, re.M)
    found += re.findall(r"^typedef (?:struct|enum|union) (ss_\w+)", plain, re.M)
    found += re.findall(r"^typedef [^{;]*?\(\*(ss_\w+)\)", plain, re.M)
    found += re.findall(r"^#define (SS_\w+)", plain, re.M)
    found += re.findall(r"^enum \{ (SS_\w+)", plain, re.M)
    return sorted(set(found), key=lambda name: plain.index(name))


def said(comment, known, here):
    """A comment as it stands, names of the library linked to where they are declared."""
    def link(found):
        name = found.group(1)
        if name not in known:
            return name
        page = "" if known[name] == here else f"{known[name]}.html"
        return f'<a href="{page}#{name}">{name}</a>'
    return f'<pre class="comment">{NAME.sub(link, html.escape(chr(10).join(comment), quote=False))}</pre>\n'


def render(piece, known, here):
    section = SECTION.match(piece[0])
    out = []
    if section:
        out.append(f"## {section.group(1)}\n")
        piece = piece[1:]
    comment = []
    while piece and piece[0].startswith("//"):
        comment.append(piece[0][3:])
        piece = piece[1:]
    code = "\n".join(piece)
    names = declared(code)
    if names:
        shown = ", ".join(f"`{n}`" for n in names[:3]) + (", ..." if len(names) > 3 else "")
        out.append("".join(f'<a id="{n}"></a>' for n in names) + f"\n\n### {shown}\n")
    if comment:
        out.append(said(comment, known, here))
    if code.strip():
        out.append(f"```c\n{code}\n```\n")
    return "\n".join(out)


def index(headers, known):
    rows = "\n".join(f"| [{stem}.h](reference/{stem}.md) | {summary.replace('|', chr(92) + '|')} |" for stem, summary, _, _ in headers)
    names = "\n".join(f"- [{name}](reference/{stem}.md#{name})" for name, stem in sorted(known.items()) if name.startswith("ss_"))
    return (f"# Reference\n\nThe public headers, as they are: `#include <stickslip/stickslip.h>` has them all. "
            f"[The library](api.md) is the map.\n\n| header | |\n|---|---|\n{rows}\n\n## Names\n\n{names}\n")


def pages(folder):
    """{place: text}."""
    headers = []
    for path in sorted(folder.glob("*.h")):
        summary, comment, rest = introduction(path.read_text().splitlines())
        headers.append((path.stem, summary, comment, pieces(rest)))
    known = {}
    for stem, _, _, parts in headers:
        for part in parts:
            known |= {name: stem for name in declared("\n".join(part)) if name not in known}
    found = {}
    for stem, _, comment, parts in headers:
        body = [f"# {stem}.h\n", said(comment, known, stem)]
        body += [render(part, known, stem) for part in parts]
        found[f"reference/{stem}.md"] = "\n".join(body)
    return found | {"reference.md": index(headers, known)}
