"""Links: from the repository's to the site's, and whether each leads somewhere.

Headings get the names that they have on the hosts of repositories (lower case, blanks as dashes, signs dropped), so that a
link with # is the same in both. A file outside docs/ that a page links to is copied beside the pages, under files/; a
folder is named, without a link."""
import os
import pathlib
import re
import shutil

ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<!\\)\]\(([^()\s]*)\)")
HEADING = re.compile(r"^(#{1,6}) (.*?)\s*$")
PARTS = re.compile(r"(^```.*?^```$)", re.M | re.S)  # what is code, and what is not, in turn
SOURCE = re.compile(r'((?:src|href)=")docs/')  # of HTML in README.md
INLINE = re.compile(r"(`+[^`]*`+)")


def outside_code(text, change):
    """The text with `change` applied to what is neither a block of code nor indented code."""
    parts = PARTS.split(text)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


def from_root(text):
    """A page of ROOT_PAGES as a page of docs/."""
    def relink(found):
        target = found.group(1)
        if re.match(r"[a-z]+:|#", target):
            return found.group(0)
        return f"]({target[5:] or '.'})" if target.startswith("docs/") else f"](../{target})"
    return outside_code(text, lambda part: SOURCE.sub(r"\1", LINK.sub(relink, part)))


def slug(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def name_headings(text):
    """An id behind each heading; the second of the same name gets -1, as there."""
    seen = {}

    def name(line):
        found = HEADING.match(line)
        if not found or "{#" in line:
            return line
        word = slug(found.group(2))
        count = seen[word] = seen.get(word, -1) + 1
        return f"{found.group(1)} {found.group(2)} {{#{word}{f'-{count}' if count else ''}}}"
    return outside_code(text, lambda part: "\n".join(name(line) for line in part.split("\n")))


def for_site(name, text, root, pages):
    """The page `name` (its place under docs/) as mkdocs shall read it."""
    def relink(found):
        target, _, anchor = found.group(1).partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found.group(0)
        inside = pathlib.PurePosixPath(os.path.normpath(pathlib.PurePosixPath("docs") / pathlib.PurePosixPath(name).parent / target))
        back = "../" * name.count("/")
        source = root / inside
        if inside == pathlib.PurePosixPath("docs"):
            target = f"{back}index.md"
        elif inside.parts[:1] == ("docs",) and source.is_dir():
            target = f"{back}{'/'.join(inside.parts[1:] + ('README.md',))}"
        elif str(inside) in ROOT_PAGES:
            target = f"{back}{ROOT_PAGES[str(inside)]}"
        elif inside.parts[:1] != ("docs",) and source.is_file():
            copy = pages / "files" / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
            target = f"{back}files/{inside}"
        elif inside.parts[:1] != ("docs",) and source.is_dir():
            return "]" + UNLINKED
        return f"]({target}{'#' + anchor if anchor else ''})"
    def change(part):
        part = LINK.sub(relink, part)
        return re.sub(r"\[([^\[\]]*)\]" + UNLINKED, r"\1", part)
    return name_headings(outside_code(text, change))


UNLINKED = "\x00"


def anchors(text):
    found = set(re.findall(r'<a id="([^"]+)">', text)) | set(re.findall(r'\{#([^}]+)\}', text))
    return found | {f"fn:{n}" for n in re.findall(r"^\[\^(\w+)\]:", text, re.M)}


def check(pages):
    """Complaints about links of the prepared pages that lead nowhere."""
    wrong = []
    texts = {path: path.read_text() for path in sorted(pages.rglob("*.md"))}
    for path, text in texts.items():
        prose = "".join(part for k, part in enumerate(PARTS.split(text)) if k % 2 == 0)
        for found in LINK.findall(INLINE.sub("", prose)):
            target, _, anchor = found.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            to = pathlib.Path(os.path.normpath(path.parent / target)) if target else path
            if not to.is_file():
                wrong.append(f"{path.relative_to(pages)}: links to {target}, which is not there")
            elif anchor and anchor not in anchors(texts.get(to, "")):
                wrong.append(f"{path.relative_to(pages)}: links to {found}, which is no heading there")
        wrong += [f"{path.relative_to(pages)}: shows {source}, which is not there" for source in
                  re.findall(r'<img\b[^>]*\bsrc="([^":]*)"', prose) if not (path.parent / source).is_file()]
        for target, anchor in re.findall(r'<a href="([^"#]*)#?([^"]*)">', prose):
            if re.match(r"[a-z]+:", target):
                continue
            to = (path.parent / target.replace(".html", ".md")).resolve() if target else path
            if to not in texts or (anchor and anchor not in anchors(texts[to])):
                wrong.append(f"{path.relative_to(pages)}: links to {target}#{anchor}, which is not there")
    return wrong
