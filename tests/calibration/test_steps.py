"""Capture, fit, report, accept, save: what is saved, and when nothing is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import controller.files
from calibration.report import NO_PLOTS, Page, Plot, Table, html
from calibration.steps import Act, Belongs, End, Fitted, Person, Remark, Weight, carry_out
from calibration.store import ProfileStore
from tests.calibration.hands import NOON, Hand


@dataclass(frozen=True)
class Samples:
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Profile:
    mean: float


class Weighing:
    """Three acts; a mean above 5 is refused."""

    kind = "scale"
    title = "A scale"
    samples = Samples
    profile = Profile

    def __init__(self, values: tuple[int, ...], table: str = "A") -> None:
        self._values = values
        self._table = table

    async def capture(
        self, person: Person, so_far: Samples | None, keep: Callable[[Samples], None]
    ) -> Samples:
        samples = so_far or Samples()
        for n in range(len(samples.values), 3):
            await person.does(Act(f"put weight {n} on", n, 3))
            samples = replace(samples, values=(*samples.values, self._values[n]))
            keep(samples)
        return samples

    def fit(self, samples: Samples) -> Fitted[Profile]:
        mean = sum(samples.values) / 3
        weight = Weight.REFUSED if mean > 5 else Weight.GOOD
        return Fitted(Profile(mean), (Remark(weight, f"mean {mean}"),), Page("Scale", "weighed"))

    def belongs(self) -> Belongs:
        return Belongs({"scale": self._table})


def run(step: Weighing, person: Hand, folder: Path) -> tuple[End, ProfileStore]:
    store = ProfileStore(folder, controller.files)
    outcome = asyncio.run(carry_out(step, person, store, by="Anna", now=lambda: NOON))
    return outcome.end, store


def test_accepted_fit_is_saved_with_its_page(tmp_path: Path) -> None:
    hand = Hand()
    end, store = run(Weighing((1, 2, 3)), hand, tmp_path)
    assert end is End.SAVED
    saved = store.load("scale", Profile, {"scale": "A"})
    assert saved is not None
    assert saved.profile == Profile(2.0)
    assert saved.made.by == "Anna"
    ((_, _, page),) = hand.judged
    assert page.exists()
    assert store.draft("scale", Samples, {"scale": "A"}, NOON) is None


@pytest.mark.parametrize(
    ("values", "accepts", "end"), [((9, 9, 9), True, End.REFUSED), ((1, 2, 3), False, End.DECLINED)]
)
def test_refused_or_declined_fit_is_not_saved_but_shown(
    tmp_path: Path, values: tuple[int, ...], accepts: bool, end: End
) -> None:
    hand = Hand(accepts=accepts)
    got, store = run(Weighing(values), hand, tmp_path)
    assert got is end
    assert store.load("scale", Profile) is None
    assert len(hand.judged) == 1
    assert store.draft("scale", Samples, {"scale": "A"}, NOON) is None


def test_left_step_goes_on_where_it_was(tmp_path: Path) -> None:
    end, store = run(Weighing((1, 2, 3)), Hand(leaves_at=2), tmp_path)
    assert end is End.LEFT
    assert store.load("scale", Profile) is None
    hand = Hand()
    end, store = run(Weighing((0, 0, 6)), hand, tmp_path)
    assert end is End.SAVED
    assert [act.ask for act in hand.acts] == ["put weight 2 on"]
    saved = store.load("scale", Profile)
    assert saved is not None
    assert saved.profile == Profile(3.0)


def test_draft_of_another_table_is_not_gone_on_with(tmp_path: Path) -> None:
    run(Weighing((1, 2, 3)), Hand(leaves_at=2), tmp_path)
    hand = Hand()
    run(Weighing((1, 2, 3), table="B"), hand, tmp_path)
    assert len(hand.acts) == 3


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        ("", True),
        ("s", False),
        ("4", True),
        ("11", True),
        ("12", False),
        ("0", False),
        ("٤", False),
    ],
)
def test_act_allows_its_answers_and_no_other(answer: str, allowed: bool) -> None:
    act = Act("which seat?", answers={"": "none"}, number=(1, 11))
    assert act.allows(answer) is allowed


def test_page_holds_its_pictures_and_is_the_same_every_time() -> None:
    def draw(figure):  # type: ignore[no-untyped-def]
        axes = figure.add_subplot()
        axes.plot([1, 2, 3])
        axes.set_title("rate")

    page = Page(
        "Scale",
        "weighed",
        (Plot("Weights", "they fall", draw),),
        (Table("Weights", ("n", "g"), (("1", "5"), ("2", "<7>")), frozenset({1})),),
    )
    text = html(page, [], {"by": "Anna"})
    assert text == html(page, [], {"by": "Anna"})
    assert text.count("data:image/svg+xml;base64,") == 1
    assert '<tr class="marked"><td>2</td><td>&lt;7&gt;</td>' in text


def test_page_without_matplotlib_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import calibration.report

    monkeypatch.setattr(calibration.report, "find_spec", lambda name: None)
    text = html(Page("Scale", "weighed", (Plot("Weights", "", print),)), [], {})
    assert NO_PLOTS.split(":")[0] in text
