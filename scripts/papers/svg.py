"""A picture that a command drew, made part of a page: its styles and names are its own, its size is the page's."""
import re


def inline(text, number):
    """The SVG with classes and ids of its own, so that two of them do not meet, and its width."""
    name = f"p{number}"
    text = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", text, flags=re.S).strip()
    width = float(re.search(r'\bwidth="([\d.]+)"', text)[1])
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r"url\(#", f"url(#{name}-", re.sub(r'href="#', f'href="#{name}-', text))
    text = re.sub(r'\bclass="([^"]+)"', lambda m: 'class="' + " ".join(f"{name}-{c}" for c in m[1].split()) + '"', text)
    text = re.sub(r"(<style>)(.*?)(</style>)", lambda m: m[1] + scoped(m[2], name) + m[3], text, flags=re.S)
    text = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>',
                  rf'<svg id="{name}" role="img" aria-labelledby="{name}-t" \1 style="max-width:{width:g}px">', text)
    return text.replace("<title>", f'<title id="{name}-t">', 1), width


def scoped(style, name):
    """Rules of classes by their new names (a rule below #name would not reach what <use> shows); rules of elements below #name, as weak
    as before."""
    out = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        own = [re.sub(r"\.(?=[A-Za-z])", f".{name}-", s.strip()) for s in selectors.split(",")]
        out.append(",".join(s if "." in s else f":where(#{name})" if s == "svg" else f":where(#{name}) {s}" for s in own) + "{" + body + "}")
    return "".join(out)
