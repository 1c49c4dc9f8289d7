"""The documentation as a site: what scripts/site prepares for mkdocs has every page once in its navigation, every public
function once in its reference, and no link that leads nowhere; and the check of links finds those that do. With BUILD,
mkdocs builds it without a remark (skipped where it is not installed).

usage: site.py SOURCE [BUILD]"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(source / "scripts/site")]
sys.dont_write_bytecode = True
import links  # noqa: E402

wrong = []


def run(*words):
    done = subprocess.run([sys.executable, "-EsB", str(source / "scripts/site"), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def check_navigation(out):
    nav = re.findall(r"^    - .*: (\S+\.md)$", (out / "mkdocs.yml").read_text(), re.M)
    there = sorted(str(p.relative_to(out / "pages")) for p in (out / "pages").rglob("*.md") if "files" not in p.parts)
    if sorted(nav) != there:
        wrong.append(f"navigation and pages differ: {sorted(set(nav) ^ set(there))}")


def check_reference(out):
    declared = set()
    for header in (source / "include/stickslip").glob("*.h"):
        text = re.sub(r"//.*", "", header.read_text())
        declared |= {(header.stem, name) for name in re.findall(r"^SS_API [^(;]*?\b(ss_\w+)\(", text, re.M)}
    assert len(declared) > 100
    pages = {p.stem: p.read_text() for p in (out / "pages/reference").glob("*.md")}
    for stem, name in declared:
        count = pages[stem].count(f'<a id="{name}">')
        if count != 1:
            wrong.append(f"reference/{stem}.md has {name} {count} times")
        if f"reference/{stem}.md#{name}" not in (out / "pages/reference.md").read_text():
            wrong.append(f"reference.md does not name {name}")


def check_check():
    """Links that lead nowhere are found, each kind; those that lead somewhere are not."""
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder)
        (pages / "a.md").write_text(links.name_headings("# A title: of it\n[good](b.md#two) [good](#a-title-of-it)\n```\n[no](x.md)\n```\n"))
        (pages / "b.md").write_text(links.name_headings("# One\n## Two\n`[no](x.md)`\n"))
        if links.check(pages):
            wrong.append(f"good links are refused: {links.check(pages)}")
        for bad in ("[bad](c.md)", "[bad](b.md#three)", "[bad](#none)", '<img src="none.png">', '<a href="b.html#four">x</a>'):
            (pages / "c.md" if "c.md" not in bad else pages / "d.md").write_text(bad)
            if len(links.check(pages)) != 1:
                wrong.append(f"not found: {bad}")
            for name in ("c.md", "d.md"):
                (pages / name).unlink(missing_ok=True)


if len(sys.argv) > 2:
    if not shutil.which("mkdocs"):
        print("mkdocs is not installed (scripts/setup site)")
        sys.exit(77)
    run("--out", sys.argv[2])
    if not (pathlib.Path(sys.argv[2]) / "html/tutorial-engineer.html").exists():
        sys.exit("mkdocs built no page")
else:
    with tempfile.TemporaryDirectory() as folder:
        run("--prepare", "--out", folder)
        check_navigation(pathlib.Path(folder))
        check_reference(pathlib.Path(folder))
    check_check()
sys.exit("\n".join(wrong) or 0)
