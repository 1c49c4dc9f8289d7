"""scripts/site [--out build/site] [--prepare]

The documentation as a site: README.md, docs/ and what else is written for people as they are, a page of reference for each public header, and a page with
everything that was measured, in the order of navigation.py; built by mkdocs, into OUT/html. --prepare stops before
mkdocs, with what it would read in OUT/pages.

Links, anchors and navigation are checked before, without mkdocs: exit status 1 where one leads nowhere."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE)]

import links  # noqa: E402
import measured
import navigation
import reference

STYLE = """.wy-nav-content { max-width: 1100px }
.rst-content table { display: block; overflow-x: auto; margin-bottom: 24px; border: none }
.rst-content table td, .rst-content table th { padding: 4px 8px; border: 1px solid #e1e4e5; vertical-align: top; text-align: left }
.rst-content table td p:last-child { margin-bottom: 0 }
.rst-content code, .rst-content a code { color: #2b2b2b; background: #f2f3f5; border: none; padding: 1px 3px }
.rst-content a code { color: #2980b9 }
.rst-content pre code { background: #f8f8f8; border: 1px solid #e1e4e5; padding: 10px 12px; overflow-x: auto }
.rst-content h3 code { font-size: 95% }
.rst-content table td:first-child code { white-space: nowrap }
.rst-content h2#names + ul { columns: 3 }
.rst-content img { max-width: 100% }
.rst-content pre.comment { background: none; border: none; overflow-x: auto; margin: 0 0 12px; padding: 0 0 0 4px; font-size: 12px; line-height: 1.45 }
"""


def gather(pages):
    """What mkdocs reads, in the folder `pages`: {path inside it: text}."""
    found = {place: links.from_root((ROOT / name).read_text()) for name, place in links.ROOT_PAGES.items()}
    for path in sorted((ROOT / "docs").rglob("*")):
        place = path.relative_to(ROOT / "docs")
        if path.suffix == ".md":
            found[str(place)] = path.read_text()
        elif path.is_file():
            (pages / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, pages / place)
    found |= reference.pages(ROOT / "include/stickslip")
    found["measured.md"] = measured.page({name: text for name, text in found.items() if "/" not in name})
    return found


def settings(out, nav):
    """mkdocs.yml."""
    lines = ["site_name: stickslip", f"docs_dir: {out / 'pages'}", f"site_dir: {out / 'html'}", "use_directory_urls: false",
             "theme:", "  name: readthedocs", "  highlightjs: false", "  navigation_depth: 3", "  titles_only: false",
             "markdown_extensions:", "  - attr_list", "  - tables", "  - fenced_code", "  - toc:", "      permalink: true",
             "plugins: [search]", "extra_css: [site.css]", "nav:"]
    for section, rows in nav:
        lines.append(f"  - {section!r}:")
        lines += [f"    - {title!r}: {path}" for title, path in rows]
    return "\n".join(lines) + "\n"


def prepare(out):
    """Writes OUT/pages and OUT/mkdocs.yml; the complaints."""
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    found = gather(pages)
    nav, wrong = navigation.order(found)
    for name, text in found.items():
        path = pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(links.for_site(name, text, ROOT, pages))
    wrong += links.check(pages)
    (pages / "site.css").write_text(STYLE)
    (out / "mkdocs.yml").write_text(settings(out.resolve(), nav))
    return wrong, len(found)


def build(out):
    """mkdocs, whose every remark but those on its progress is a complaint."""
    done = subprocess.run(["mkdocs", "build", "--strict", "--clean", "-f", str(out / "mkdocs.yml")], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode or re.search("WARNING|ERROR", said):
        return [said]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/site")
    parser.add_argument("--prepare", action="store_true")
    args = parser.parse_args()
    args.out = args.out.resolve()
    wrong, count = prepare(args.out)
    if not wrong and not args.prepare:
        wrong = build(args.out)
    if wrong:
        sys.exit("\n".join(wrong))
    where = "pages" if args.prepare else "html/index.html"
    print(f"{count} pages: {args.out / where}")


if __name__ == "__main__":
    main()
