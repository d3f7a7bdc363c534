"""The page of the antennas' calibration: where a card is read, and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from calibration.antennas import (
    CROSS_LIMIT,
    MISS_LIMIT,
    AntennaSamples,
    AntennasProfile,
    Budget,
    Place,
)
from calibration.rates import NOTHING, Rate, between, percent
from calibration.report import Page, Plot, Table
from calibration.spots import Spot
from drivers.table_plan import TABLE_MM, table_plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GOOD, _POOR = "#2e7d32", "#b26a00"
_MAP = "RdYlGn"  # a card is read: green


def page(
    places: Sequence[Place],
    spots: Mapping[int, Sequence[Spot]],
    samples: AntennaSamples,
    profile: AntennasProfile | None,
    budget: Budget,
    seats: int,
) -> Page:
    """What a person looks at before accepting."""
    measured = [p for p in places if samples.of(p.antenna).visits]
    minutes = samples.seconds / 60
    lead = (
        f"{len(measured)} of {len(places)} antennas were measured with {samples.looks} looks,"
        f" {minutes:.1f} minutes of looking."
    )
    if samples.sweep_s is not None:
        lead += f" A round of all antennas takes {samples.sweep_s * 1000:.0f} ms."
    if not measured:
        return Page("Antennas", lead)
    plots = [
        _table_map(measured, spots, samples, seats),
        _matrix(measured, samples),
        _rates(measured, samples),
        _heat(measured, spots, samples),
    ]
    lamps = [p for p in measured if _white(p, samples)[1].looks]
    if lamps:
        plots.append(_lamps(lamps, samples))
    tables = () if profile is None else (_table(places, profile, budget),)
    return Page("Antennas", lead, tuple(plots), tables)


def _own(place: Place, samples: AntennaSamples) -> Rate:
    return samples.of(place.antenna).heard_by(place.antenna)


def _white(place: Place, samples: AntennaSamples) -> tuple[Rate, Rate]:
    """At the middle of the mark: lamps dark, lamps white; of all looks."""
    visits = [v for v in samples.of(place.antenna).visits if v.cards == 1 and v.spot == 0]
    dark, white = (
        sum((v.at(place.antenna).all_looks for v in visits if v.white is is_), NOTHING)
        for is_ in (False, True)
    )
    return dark, white


def _by_spot(place: Place, reads: int, samples: AntennaSamples) -> list[tuple[int, Rate]]:
    visits = samples.of(place.antenna).visits
    return [(v.spot, v.at(reads).rate()) for v in visits if v.cards == 1 and not v.white]


def _table(places: Sequence[Place], profile: AntennasProfile, budget: Budget) -> Table:
    rows, marked = [], set()
    for n, place in enumerate(places):
        a = profile.of(place.antenna)
        assert a is not None
        stack = a.max_stack if a.max_stack is not None else place.max_stack
        rows.append(
            (
                str(a.antenna),
                place.zone,
                _limited(a.miss, a.miss_low, a.miss_high, MISS_LIMIT),
                _limited(a.cross, a.cross_low, a.cross_high, CROSS_LIMIT),
                ", ".join(map(str, a.neighbours)) or "none",
                str(stack) if stack is not None else "no limit",
                str(budget.silences(a.miss)),
                "–" if a.lamps is None else f"{-a.lamps * 100:+.1f}",
            )
        )
        if a.miss > 0.15 or a.cross > 0.1:
            marked.add(n)
    head = (
        "Antenna", "Place", "Card not read", "Neighbour's card read", "Neighbours",
        "Cards on each other", "Silent looks that prove a card gone", "Lamps white, points",
    )  # fmt: skip
    return Table("What was worked out", head, tuple(rows), frozenset(marked))


def _limited(share: float, low: float, high: float, limit: float) -> str:
    """A share and its bounds; beyond what can be gone by, that alone."""
    return f"over {percent(limit)}" if low > limit else between(share, low, high)


# ---- plots


def _table_map(
    places: Sequence[Place],
    spots: Mapping[int, Sequence[Spot]],
    samples: AntennaSamples,
    seats: int,
) -> Plot:
    found = [
        (spots[p.antenna][spot], rate)
        for p in places
        for spot, rate in _by_spot(p, p.antenna, samples)
        if spot < len(spots[p.antenna])
    ]

    def draw(figure: Figure) -> None:
        from matplotlib.patches import Ellipse, Polygon

        axes = figure.add_subplot()
        plan = table_plan(seats)
        table = plan["table"]
        axes.add_patch(
            Ellipse((table.x_mm, table.y_mm), *TABLE_MM, facecolor="#f3f6f3", edgecolor="#888")
        )
        for name, area in plan.items():
            if name != "table":
                axes.add_patch(Polygon(area.corners_mm, facecolor="none", edgecolor="#aaa"))
        dots = axes.scatter(
            [s.x_mm for s, _ in found],
            [s.y_mm for s, _ in found],
            c=[r.share for _, r in found],
            cmap=_MAP, vmin=0.5, vmax=1.0, s=55, edgecolors="#333", linewidths=0.5, zorder=3,
        )  # fmt: skip
        for place in places:
            area = plan.get(place.zone) or plan[place.zone.partition("/")[0]]
            axes.annotate(
                str(place.antenna), (area.x_mm, area.y_mm + area.height_mm * 0.62 + 25),
                ha="center", va="center", fontsize=8, color="#333",
            )  # fmt: skip
        figure.colorbar(dots, ax=axes, label="share of looks that read the card", shrink=0.8)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_axis_off()

    return Plot(
        "Where a card is read",
        "The table from above, the dealer below; each dot is a spot where a card lay, its number"
        " that of the antenna. Green is read at nearly every look, red at half of them or less.",
        draw,
        (8.0, 4.2),
    )


def _matrix(places: Sequence[Place], samples: AntennaSamples) -> Plot:
    numbers = [p.antenna for p in places]
    shares = [[samples.of(a).heard_by(b).share * 100 for b in numbers] for a in numbers]
    zones = [f"{p.zone} ({p.antenna})" for p in places]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=100)
        for row, values in enumerate(shares):
            for column, value in enumerate(values):
                if value > 0:
                    axes.text(
                        column, row, f"{value:.0f}" if value >= 1 else "<1",
                        ha="center", va="center", fontsize=7,
                        color="white" if value > 55 else "black",
                    )  # fmt: skip
        axes.set_xticks(range(len(numbers)), [str(n) for n in numbers], fontsize=8)
        axes.set_yticks(range(len(numbers)), zones, fontsize=8)
        axes.set_xlabel("read by antenna")
        axes.set_ylabel("card lies at (its antenna)")

    side = max(4.0, 0.36 * len(places) + 1.8)
    return Plot(
        "Who reads whose card",
        "Per cent of looks that read a card. A healthy table is dark on the falling line and almost"
        " empty beside it. A dark field off the line is a swapped wire; a pale one is a neighbour"
        " that reads across.",
        draw,
        (side + 0.8, side),
    )


def _rates(places: Sequence[Place], samples: AntennaSamples) -> Plot:
    rates = [_own(p, samples) for p in places]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        _bars(axes, places, [(rates, _GOOD, "")])
        axes.axhline(85, color=_POOR, linestyle="--", linewidth=1)
        axes.set_ylabel("looks that read the card, %")

    return Plot(
        "How well each antenna reads its own card",
        "Over all spots of its mark; the thin line is where the true value lies with 95 %. Below"
        " the dashed line an antenna deserves a look.",
        draw,
    )


def _lamps(places: Sequence[Place], samples: AntennaSamples) -> Plot:
    pairs = [_white(p, samples) for p in places]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        dark, white = [d for d, _ in pairs], [w for _, w in pairs]
        _bars(axes, places, [(dark, "#444", "lamps dark"), (white, "#c9c94a", "lamps white")])
        axes.legend(loc="lower right", fontsize=8)
        axes.set_ylabel("looks that read the card, %")

    return Plot(
        "Do the lamps disturb?",
        "The same card at the same spot, first with all lamps dark, then with all of them white. A"
        " lower bright bar whose line does not reach the dark one's means that the lamps disturb.",
        draw,
    )


def _bars(
    axes: Axes, places: Sequence[Place], groups: Sequence[tuple[Sequence[Rate], str, str]]
) -> None:
    width = 0.8 / len(groups)
    for n, (rates, colour, label) in enumerate(groups):
        at = [i + (n - (len(groups) - 1) / 2) * width for i in range(len(rates))]
        shares = [100 * r.share for r in rates]
        bounds = [r.interval for r in rates]
        low = [max(0.0, s - 100 * b[0]) for s, b in zip(shares, bounds, strict=True)]
        high = [max(0.0, 100 * b[1] - s) for s, b in zip(shares, bounds, strict=True)]
        axes.bar(at, shares, width * 0.95, color=colour, label=label or None)
        axes.errorbar(at, shares, [low, high], fmt="none", ecolor="#000", elinewidth=1, capsize=2)
    axes.set_xticks(range(len(places)), [str(p.antenna) for p in places], fontsize=8)
    axes.set_xlabel("antenna")
    axes.set_ylim(0, 104)


def _heat(
    places: Sequence[Place], spots: Mapping[int, Sequence[Spot]], samples: AntennaSamples
) -> Plot:
    columns = 5
    rows = -(-len(places) // columns)

    def draw(figure: Figure) -> None:
        for n, place in enumerate(places):
            axes = figure.add_subplot(rows, columns, n + 1)
            found = [
                (spots[place.antenna][spot], rate)
                for spot, rate in _by_spot(place, place.antenna, samples)
                if spot < len(spots[place.antenna])
            ]
            wide = max((abs(s.across_mm) for s, _ in found), default=0.0) > 100.0
            axes.scatter(
                [s.across_mm for s, _ in found],
                [s.up_mm for s, _ in found],
                c=[r.share for _, r in found],
                cmap=_MAP, vmin=0.5, vmax=1.0, s=190 if wide else 420, marker="s",
                edgecolors="#555",
            )  # fmt: skip
            for spot, rate in found:
                at = (spot.across_mm, spot.up_mm)
                light = "black" if 0.6 < rate.share < 0.97 else "white"
                axes.annotate(
                    f"{100 * rate.share:.0f}", at, ha="center", va="center", fontsize=7, color=light
                )
            axes.set_title(f"{place.antenna}: {place.zone}", fontsize=8)
            axes.margins(0.2 if wide else 0.45)
            axes.set_xticks([])
            axes.set_yticks([])

    return Plot(
        "Every antenna's mark",
        "Per cent of looks that read a card at each spot, the middle in the middle; a seat is drawn"
        " as its player sees it. A mark that is paler on one side has its antenna on the other.",
        draw,
        (8.0, 1.7 * rows),
    )
