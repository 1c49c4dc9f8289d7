"""How results look: one line in a terminal, a small table (and a drawing) in a notebook."""
from __future__ import annotations

import html
from typing import Any, Iterable, Optional, Tuple


def number(x: float) -> str:
    return f"{x:.3g}"


def counted(states: Iterable[str]) -> str:
    """'0 free, 1 stick, 2 slip'"""
    states = list(states)
    return ", ".join(f"{sum(s.startswith(kind) for s in states)} {kind}" for kind in ("free", "stick", "slip"))


class Shown:
    """A result: `_title` in a few words, `_facts` as (name, value)."""

    def _title(self) -> str:
        raise NotImplementedError

    def _facts(self) -> Iterable[Tuple[str, Any]]:
        return ()

    def _drawing(self) -> Optional[str]:
        """SVG."""
        return None

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self._facts())
        return f"<{type(self).__name__}: {self._title()}{'; ' if facts else ''}{facts}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>"
                       f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>" for name, value in self._facts())
        return f"<b>{html.escape(self._title())}</b><table>{rows}</table>{self._drawing() or ''}"
