"""A calibration as one page for a person to judge: remarks, tables, plots. It needs no other file.

Plots are drawn with matplotlib, which is loaded only here and only when there is something to draw;
where it is not installed the page says so and has everything else.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from calibration.steps import Remark


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture. caption: what to look for, in a dealer's words; it stands for the picture where
    that cannot be seen. draw: draws into an empty figure. size_in: width and height, inches."""

    title: str
    caption: str
    draw: Callable[[Figure], None] = field(compare=False)
    size_in: tuple[float, float] = (7.0, 3.5)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures. marked: rows (from 0) that deserve a look."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows. lead: the result in a sentence or two."""

    title: str
    lead: str
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()


NO_PLOTS = "The plots need matplotlib: pip install 'burnturn[calibration]', then calibrate again."

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; max-width: 60rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .25rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.lead { font-size: 1.1rem; } .made { color: #555; }
.made dt { float: left; clear: left; width: 9rem; } .made dd { margin-left: 9.5rem; }
.remarks { list-style: none; padding: 0; }
.remarks li { border-left: .4rem solid; padding: .3rem .8rem; margin: .4rem 0; }
.remarks .refused { border-color: #b3261e; background: #fdecea; }
.remarks .warning { border-color: #b26a00; background: #fff4e0; }
.remarks .good { border-color: #2e7d32; background: #edf7ed; }
figure { margin: 1rem 0; break-inside: avoid; } figure img { max-width: 100%; }
figcaption { color: #444; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .5rem; text-align: right; }
td { white-space: nowrap; } th { vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
tr.marked td { background: #fff4e0; font-weight: 600; }
"""
_WORDS = {"refused": "Not usable", "warning": "Look at this", "good": "In order"}


def html(page: Page, remarks: Sequence[Remark], made: Mapping[str, str]) -> str:
    """The page as HTML, pictures within. made: how it came about, by name. Nothing of it is
    fetched from anywhere."""
    heaviest = sorted(remarks, key=lambda r: ["refused", "warning", "good"].index(r.weight))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(page.title)}</h1>",
        f'<p class="lead">{escape(page.lead)}</p>',
        '<ul class="remarks">',
        *(
            f'<li class="{r.weight}"><strong>{_WORDS[r.weight]}.</strong> {escape(r.text)}</li>'
            for r in heaviest
        ),
        "</ul>",
        *_plots(page.plots),
        *(_table(table) for table in page.tables),
        '<h2>How it came about</h2><dl class="made">',
        *(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in made.items()),
        "</dl></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _plots(plots: Sequence[Plot]) -> list[str]:
    if not plots:
        return []
    if find_spec("matplotlib") is None:
        return [f"<p>{escape(NO_PLOTS)}</p>"]
    return [
        f"<figure><h2>{escape(plot.title)}</h2>"
        f'<img alt="{escape(plot.caption)}" src="data:image/svg+xml;base64,{_drawn(plot)}">'
        f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
        for plot in plots
    ]


def _drawn(plot: Plot) -> str:
    """The plot as base64 of SVG, the same bytes for the same values."""
    import matplotlib
    from matplotlib.figure import Figure  # no pyplot: it keeps a state, and asks for a display

    figure = Figure(figsize=plot.size_in, layout="constrained")
    plot.draw(figure)
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": plot.title, "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return base64.b64encode(out.getvalue()).decode()


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        ('<tr class="marked">' if n in table.marked else "<tr>")
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for n, row in enumerate(table.rows)
    )
    return (
        f'<h2>{escape(table.title)}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
