"""Reading and writing scenario files.

`read` names every fault of a file, with line and column and what is allowed there; it never stops
at the first. `write` (in spelling) gives the text back: ``read(write(s)).scenario == s``. The words
are one table, `_WORDS`, from a line's first word to the function that reads the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from controller.model.findings import Street
from controller.model.table import (
    MAX_SEATS,
    Layout,
    LayoutOptions,
    reference_layout,
)
from controller.scenario import lines
from controller.scenario.reader import (
    MOST,
    Fault,
    Lost,
    Words,
    near,
    spell_seats,
    split,
)

DEAL_PILES: tuple[lines.PileName, ...] = (
    "burn",
    "board",
    "flop",
    "turn",
    "river",
    "muck",
    "count",
    "off-table",
)
CARD_PILES: tuple[lines.PileName, ...] = ("board", "burn", "muck")
FROM_PILES: tuple[lines.PileName, ...] = ("board", "burn", "muck", "count", "stub", "off-table")
TO_PILES: tuple[lines.PileName, ...] = (*DEAL_PILES, "stub")
DECK_NAMES = ("red", "blue", "green", "black")
KEYS: tuple[lines.KeyName, ...] = get_args(lines.KeyName)
STREETS: tuple[str, ...] = tuple(Street)
STATES = ("asking", "open", "corrected", "ruled", "dismissed", "closed")


@dataclass(frozen=True, slots=True)
class Read:
    """What a file says; `scenario` is None where it has faults."""

    scenario: lines.Scenario | None
    faults: tuple[Fault, ...]


def read(text: str, codes: Collection[str] = ()) -> Read:
    """Read a whole file. codes: the findings that there are (empty: not checked). Never raises."""
    faults: list[Fault] = []
    found: list[tuple[lines.ScenarioLine, int]] = []
    covers: tuple[str, ...] = ()
    for number, raw in enumerate(text.splitlines(), start=1):
        if m := re.match(r"\s*#\s*covers:\s*(.*)", raw):
            covers += tuple(part for part in re.split(r"[,\s]+", m.group(1)) if part)
        for words in _statements(raw, number, faults, codes):
            column = words.column
            try:
                line = _statement(words)
            except Lost:
                continue
            found.append((line, column))
    _check_file(found, faults)
    scenario = lines.Scenario(tuple(line for line, _ in found), covers)
    return Read(None if faults else scenario, tuple(sorted(faults)))


def _statements(raw: str, number: int, faults: list[Fault], codes: Collection[str]) -> list[Words]:
    """The acts of one line; several may stand on it, with semicolons between."""
    words = split(raw)
    for word in words:
        if word.text == '"':
            faults.append(Fault(number, word.column, "a quotation mark is never closed", '"text"'))
            return []
    parts: list[Words] = []
    start = 0
    for i in range(len(words) + 1):
        if i < len(words) and words[i].text != ";":
            continue
        end = words[i].column if i < len(words) else len(raw.rstrip()) + 1
        if i > start:
            parts.append(Words(words[start:i], number, end, faults, codes))
        start = i + 1
    return parts


def _statement(words: Words) -> lines.ScenarioLine:
    column = words.column
    first = words.take("a line's first word").text
    rest = _WORDS.get(first)
    if rest is None:
        raise words.lost(
            f"no line begins with '{first}'{near(first, list(_WORDS))}", ", ".join(_WORDS), column
        )
    line = rest(words)
    words.done()
    return line


# One function for each first word


def _profile(w: Words) -> lines.ScenarioLine:
    return lines.ProfileLine(name=w.name("a profile's name or path"), line=w.line)


def _game(w: Words) -> lines.ScenarioLine:
    return lines.GameLine(game=w.pick("game", ("holdem", "omaha", "omaha8")), line=w.line)


def _seats(w: Words) -> lines.ScenarioLine:
    return lines.SeatsLine(seats=w.seats(), line=w.line)


def _absent(w: Words) -> lines.ScenarioLine:
    return lines.AbsentLine(seats=() if w.maybe("none") else w.seats(), line=w.line)


def _camera(w: Words) -> lines.ScenarioLine:
    return lines.SwitchLine(what="camera", on=w.pick("camera", ("on", "off")) == "on", line=w.line)


def _console(w: Words) -> lines.ScenarioLine:
    return lines.SwitchLine(
        what="console", on=w.pick("console", ("on", "off")) == "on", line=w.line
    )


def _button(w: Words) -> lines.ScenarioLine:
    return lines.ButtonLine(seats=() if w.maybe("none") else w.seats(MAX_SEATS), line=w.line)


def _opening(w: Words) -> lines.ScenarioLine:
    return lines.OpeningLine(line=w.line)


_ANTENNA_WORDS: Mapping[str, tuple[str, ...]] = {
    "board": ("one", "three"),
    "burn": ("own", "muck"),
    "stub": ("none", "own"),
    "count": ("own", "burn"),
}
_ANTENNAS = (
    "board=one|three, burn=own|muck, stub=none|own, count=own|burn, seat N=placement, max-stack …"
)
_STACKS = ("seat", "burn", "board", "muck")


def _antennas(w: Words) -> lines.ScenarioLine:
    chosen: dict[str, str] = {}
    placement: set[int] = set()
    stacks: dict[str, int] = {}
    in_stacks = False
    if not w.more:
        raise w.lost("the line ends too early", _ANTENNAS)
    while w.more:
        column = w.column
        word = w.take(_ANTENNAS).text.rstrip(",")
        name, equals, value = word.partition("=")
        if word == "seat":
            column = w.column
            word = w.take("N=placement").text.rstrip(",")
            number, _, value = word.partition("=")
            if value != "placement":
                w.note(f"'{word}' is no seat with its manner", "N=placement", column)
            elif not number.isdecimal() or not 1 <= int(number) <= MAX_SEATS:
                w.note(f"seat '{number}' is out of range", f"1 to {MAX_SEATS}", column)
            else:
                placement.add(int(number))
        elif word == "max-stack":
            in_stacks = True
        elif equals and in_stacks and name in _STACKS and value not in _ANTENNA_WORDS.get(name, ()):
            if not value.isdecimal() or not 1 <= int(value) <= 52:
                w.note(f"a stack of '{value}' cards is out of range", "1 to 52", column)
            else:
                stacks[name] = int(value)
        elif equals and name in _ANTENNA_WORDS:
            if value not in _ANTENNA_WORDS[name]:
                allowed = "|".join(_ANTENNA_WORDS[name])
                w.note(f"'{word}' is unknown", f"{name}={allowed}", column)
            elif name in chosen:
                w.note(f"{name} is said twice", "once", column)
            else:
                chosen[name] = value
        elif in_stacks:
            w.note(f"'{word}' is unknown", "seat=N, burn=N, board=N, muck=N", column)
        else:
            w.note(f"'{word}' is unknown", _ANTENNAS, column)
    return lines.AntennasLine(
        board="three" if chosen.get("board") == "three" else "one",
        burn="muck" if chosen.get("burn") == "muck" else "own",
        stub="own" if chosen.get("stub") == "own" else "none",
        count="burn" if chosen.get("count") == "burn" else "own",
        placement_seats=tuple(sorted(placement)),
        max_stack=tuple(sorted(stacks.items())),
        line=w.line,
    )


def _deck_name(w: Words) -> str:
    column = w.column
    name = w.name("a deck's name").rstrip(",")
    if name not in DECK_NAMES:
        w.note(f"there is no deck '{name}'", ", ".join(DECK_NAMES), column)
    return name


def _decks(w: Words) -> lines.ScenarioLine:
    pairs: list[tuple[str, ...]] = []
    known: set[str] = set()
    while True:
        pair: list[str] = []
        column = w.column
        while w.more and w.peek() != "|":
            at = w.column
            name = _deck_name(w)
            if name in known:
                w.note(f"deck {name} is named twice", "each deck once", at)
            known.add(name)
            pair.append(name)
        if not 1 <= len(pair) <= 2:
            w.note(
                f"{len(pair)} decks where a pair belongs",
                "one or two names between | marks",
                column,
            )
        pairs.append(tuple(pair))
        if not w.maybe("|"):
            return lines.DecksLine(pairs=tuple(pairs), line=w.line)


def _seed(w: Words) -> int | None:
    return w.whole("seed", 0, MOST) if w.maybe("seed") else None


def _deck(w: Words) -> lines.ScenarioLine:
    return lines.DeckLine(deck=_deck_name(w), seed=_seed(w), line=w.line)


def _noise(w: Words) -> lines.ScenarioLine:
    said: dict[str, float] = {}
    if not w.more:
        raise w.lost("the line ends too early", "miss P%, cross P%, sweep TIME, seed N")
    while w.more:
        column = w.column
        what = w.pick("noise", ("miss", "cross", "sweep", "seed"))
        if what in said:
            w.note(f"{what} is said twice", "once", column)
        if what == "miss":
            said[what] = w.share("miss", 0.5)
        elif what == "cross":
            said[what] = w.share("cross", 0.2)
        elif what == "sweep":
            said[what] = w.duration("sweep", 0.05, 10.0)
        else:
            said[what] = w.whole("seed", 0, MOST)
    return lines.NoiseLine(
        miss=said.get("miss", 0.0),
        cross=said.get("cross", 0.0),
        sweep_s=said.get("sweep", 0.4),
        seed=int(said.get("seed", 0)),
        line=w.line,
    )


def _pace(w: Words) -> lines.ScenarioLine:
    return lines.PaceLine(pace_s=w.duration("pace", 0.05, 60.0), line=w.line)


def _amount(w: Words) -> int:
    return w.whole("amount", 0, MOST)


def _level(w: Words) -> lines.ScenarioLine:
    column = w.column
    text = w.name("small/big, such as 50/100")
    m = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
    if not m:
        raise w.lost(f"level '{text}' cannot be read", "small/big, such as 50/100", column)
    return lines.LevelLine(small=int(m.group(1)), big=int(m.group(2)), line=w.line)


def _burn(w: Words) -> lines.ScenarioLine:
    return lines.BurnAct(line=w.line)


def _hole(w: Words) -> lines.ScenarioLine:
    if w.maybe("until"):
        w.must("seat")
        return lines.HoleAct(until_seat=w.seat(), line=w.line)
    if w.maybe("pass"):
        return lines.HoleAct(deal_pass=w.whole("pass", 1, 4), line=w.line)
    return lines.HoleAct(line=w.line)


def _flop(w: Words) -> lines.ScenarioLine:
    return lines.StreetAct(street="flop", line=w.line)


def _turn(w: Words) -> lines.ScenarioLine:
    return lines.StreetAct(street="turn", line=w.line)


def _river(w: Words) -> lines.ScenarioLine:
    return lines.StreetAct(street="river", line=w.line)


def _deal(w: Words) -> lines.ScenarioLine:
    return lines.DealAct(to=w.place(DEAL_PILES), line=w.line)


def _place(w: Words) -> lines.ScenarioLine:
    w.must("seat")
    seat = w.seat()
    w.must("card")
    card = w.whole("card", 1, 4)
    w.must("after")
    return lines.PlaceAct(seat=seat, card=card, after_s=w.duration("after"), line=w.line)


def _fold(w: Words) -> lines.ScenarioLine:
    return lines.FoldAct(seat=w.seat(), line=w.line)


def _lift(w: Words) -> lines.ScenarioLine:
    seat = w.seat()
    w.must("for")
    return lines.LiftAct(seat=seat, for_s=w.duration("for", 0.1), line=w.line)


def _show(w: Words) -> lines.ScenarioLine:
    return lines.ShowAct(seat=w.seat(), line=w.line)


def _expose(w: Words) -> lines.ScenarioLine:
    return lines.ExposeAct(card=w.card_at(CARD_PILES), line=w.line)


def _turn_up(w: Words) -> lines.ScenarioLine:
    w.must("flop")
    return lines.TurnUpAct(line=w.line)


def _move(w: Words) -> lines.ScenarioLine:
    card = w.card_at(FROM_PILES)
    w.must("->")
    to = w.place(TO_PILES)
    ends: tuple[Literal["top", "bottom"], ...] = ("top", "bottom")
    end = None
    if to == lines.Pile("stub"):
        end = w.pick("end of the stub", ends) if w.more else ends[0]
    if w.peek() == "card":
        raise w.lost("a card joins the others where it goes; it has no number there yet", "a place")
    return lines.MoveAct(card=card, to=to, stub_end=end, line=w.line)


def _swap(w: Words) -> lines.ScenarioLine:
    card = w.card_at(())
    by: Literal["foreign", "joker"]
    if w.maybe("card"):
        w.must("of")
        return lines.SwapAct(card=card, by="card of", deck=_deck_name(w), line=w.line)
    if w.maybe("duplicate"):
        w.must("of")
        return lines.SwapAct(card=card, by="duplicate of", of=w.card_at(CARD_PILES), line=w.line)
    if w.maybe("clone"):
        w.must("of")
        return lines.SwapAct(card=card, by="clone of", of=w.card_at(CARD_PILES), line=w.line)
    allowed = "foreign, joker, card of DECK, duplicate of CARD, clone of CARD"
    if w.peek() not in {"foreign", "joker"}:
        raise w.lost(f"'{w.peek()}' is no replacement for a card", allowed)
    by = w.pick("swap", ("foreign", "joker"))
    return lines.SwapAct(card=card, by=by, line=w.line)


def _scramble(w: Words) -> lines.ScenarioLine:
    place = w.place(CARD_PILES)
    column = w.column
    text = w.name("cards, such as 1-3")
    m = re.fullmatch(r"(\d{1,2})-(\d{1,2})", text, re.ASCII)
    if not m or not 1 <= int(m.group(1)) < int(m.group(2)) <= 52:
        raise w.lost(f"'{text}' names no cards", "first-last, such as 1-3", column)
    return lines.ScrambleAct(place=place, first=int(m.group(1)), last=int(m.group(2)), line=w.line)


def _gather(w: Words) -> lines.ScenarioLine:
    return lines.GatherAct(line=w.line)


def _shuffle(w: Words) -> lines.ScenarioLine:
    return lines.ShuffleAct(seed=_seed(w), line=w.line)


def _reshuffle(w: Words) -> lines.ScenarioLine:
    return lines.ReshuffleStubAct(seed=_seed(w), line=w.line)


def _seat(w: Words) -> lines.ScenarioLine:
    seat = w.seat(lines.LAST_SEAT)
    occupied = w.pick("chair", ("empty", "occupied")) == "occupied"
    return lines.ChairAct(seat=seat, occupied=occupied, line=w.line)


def _key(w: Words) -> lines.ScenarioLine:
    return lines.KeyAct(key=w.pick("key", KEYS), line=w.line)


def _in(w: Words) -> lines.ScenarioLine:
    return lines.RegistryAct(status="in", seat=w.seat(lines.LAST_SEAT), line=w.line)


def _out(w: Words) -> lines.ScenarioLine:
    return lines.RegistryAct(status="out", seat=w.seat(lines.LAST_SEAT), line=w.line)


def _sit_out(w: Words) -> lines.ScenarioLine:
    return lines.RegistryAct(status="sit-out", seat=w.seat(lines.LAST_SEAT), line=w.line)


def _for(w: Words) -> float | None:
    return w.duration("for", 0.1) if w.maybe("for") else None


def _fault(w: Words) -> lines.ScenarioLine:
    what = w.pick("fault", ("reader", "antenna", "dead", "unread"))
    if what == "reader":
        reader = w.whole("reader", 1, 4)
        w.must("lost")
        return lines.ReaderFault(reader=reader, for_s=_for(w), line=w.line)
    if what == "antenna":
        antenna = w.whole("antenna", 1, 32)
        fault: Literal["stuck", "ghost", "noise"]
        fault = w.pick("fault", ("stuck", "ghost", "noise"))
        return lines.AntennaFault(antenna=antenna, fault=fault, for_s=_for(w), line=w.line)
    if what == "dead":
        w.must("tag")
        return lines.DeadTagFault(face=w.face(), line=w.line)
    return lines.UnreadFault(card=w.card_at(CARD_PILES), for_s=_for(w), line=w.line)


def _clock(w: Words) -> lines.ScenarioLine:
    w.must("jump")
    column = w.column
    text = w.name("a time with its sign, such as +2h")
    m = re.fullmatch(r"([+-])(\d+(?:\.\d+)?)(ms|s|m|h)", text, re.ASCII)
    if not m:
        raise w.lost(f"'{text}' is no jump", "a time with its sign, such as +2h or -90s", column)
    seconds = float(m.group(2)) * {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}[m.group(3)]
    by_s = round(-seconds if m.group(1) == "-" else seconds, 6)
    return lines.ClockJumpAct(by_s=by_s, line=w.line)


def _no_rtc(w: Words) -> lines.ScenarioLine:
    return lines.NoRtcAct(line=w.line)


def _wait(w: Words) -> lines.ScenarioLine:
    return lines.WaitAct(for_s=w.duration("wait"), line=w.line)


def _power_cut(w: Words) -> lines.ScenarioLine:
    return lines.PowerCutAct(for_s=_for(w) or 0.0, line=w.line)


def _post(w: Words) -> lines.ScenarioLine:
    seat = w.seat()
    blind: Literal["small", "big"]
    blind = w.pick("blind", ("small", "big"))
    return lines.PostAct(seat=seat, blind=blind, amount=_amount(w), line=w.line)


def _ante(w: Words) -> lines.ScenarioLine:
    return lines.AnteAct(seat=w.seat(), amount=_amount(w), line=w.line)


def _stack(w: Words) -> lines.ScenarioLine:
    return lines.StackAct(seat=w.seat(), amount=_amount(w), line=w.line)


def _award(w: Words) -> lines.ScenarioLine:
    return lines.AwardAct(seat=w.seat(), amount=_amount(w), line=w.line)


def _act(w: Words) -> lines.ScenarioLine:
    seat = w.seat()
    word: Literal["fold", "check", "call", "bet", "raise", "all-in"]
    word = w.pick("action", ("fold", "check", "call", "bet", "raise", "all-in"))
    amount = None
    if word in {"bet", "raise"}:
        before = word == "raise" and w.maybe("to")
        amount = _amount(w)
        if word == "raise" and not before:
            w.maybe("to")
    return lines.PlayerAct(seat=seat, word=word, amount=amount, line=w.line)


def _rule(w: Words) -> lines.ScenarioLine:
    return lines.RuleAct(code=w.code(), ruling=w.quoted("the ruling"), line=w.line)


def _dismiss(w: Words) -> lines.ScenarioLine:
    return lines.DismissAct(code=w.code(), line=w.line)


def _attest(w: Words) -> lines.ScenarioLine:
    column = w.column
    return lines.AttestAct(row=w.row(w.name("a clause id"), column), line=w.line)


def _count(w: Words) -> lines.ScenarioLine:
    w.must("deck")
    minus = w.faces() if w.maybe("minus") else ()
    plus = None
    if w.maybe("plus"):
        plus = w.pick("extra card", ("foreign", "joker", "duplicate"))
        if plus == "duplicate":
            plus = w.face()
    return lines.CountDeckAct(minus=minus, plus=plus, line=w.line)


def _expect(w: Words) -> lines.ScenarioLine:
    if w.maybe("none"):
        return lines.ExpectNone(line=w.line)
    if w.maybe("board"):
        text = w.quoted("text on the board")
        within = w.duration("within", 0.1) if w.maybe("within") else None
        return lines.ExpectBoard(text=text, within_s=within, line=w.line)
    if w.maybe("cannot-tell"):
        codes = _codes(w)
        said = _attributes(w, ("street",))
        return lines.ExpectCannotTell(
            codes=codes, street=said.street, within_s=said.within_s, line=w.line
        )
    codes = _codes(w)
    said = _attributes(w, ("seat", "street", "clause", "zone", "state"))
    return lines.ExpectFinding(
        codes=codes,
        seat=said.seat,
        street=said.street,
        clause=said.clause,
        zone=said.zone,
        state=said.state,
        within_s=said.within_s,
        line=w.line,
    )


def _codes(w: Words) -> tuple[str, ...]:
    codes = [w.code()]
    while w.maybe("|"):
        codes.append(w.code())
    return tuple(codes)


def _attributes(w: Words, names: tuple[str, ...]) -> lines.ExpectFinding:
    """The attributes behind the codes, each at most once, in any order."""
    said: dict[str, object] = {}
    allowed = ", ".join([*(f"{n}=" for n in names), "within TIME"])
    while w.more:
        column = w.column
        word = w.take(allowed).text.rstrip(",")
        name, equals, value = word.partition("=")
        inside = column + len(name) + 1
        if name in said:
            w.note(f"{name} is said twice", "once", column)
        if word == "within":
            said["within"] = w.duration("within", 0.1)
        elif not equals or name not in names:
            w.note(f"'{word}' is no attribute here", allowed, column)
        elif name == "seat":
            if not value.isdecimal() or not 1 <= int(value) <= lines.LAST_SEAT:
                w.note(f"seat '{value}' is out of range", f"1 to {lines.LAST_SEAT}", inside)
            else:
                said[name] = int(value)
        elif name == "street":
            if value not in STREETS:
                w.note(f"street '{value}' is unknown", ", ".join(STREETS), inside)
            else:
                said[name] = Street(value)
        elif name == "state":
            if value not in STATES:
                w.note(f"state '{value}' is unknown", ", ".join(STATES), inside)
            else:
                said[name] = value
        elif name == "zone":
            said[name] = w.zone(value, inside)
        else:
            said[name] = w.row(value, inside)
    return lines.ExpectFinding(
        codes=(),
        seat=said.get("seat"),  # type: ignore[arg-type]
        street=said.get("street"),  # type: ignore[arg-type]
        clause=said.get("clause"),  # type: ignore[arg-type]
        zone=said.get("zone"),  # type: ignore[arg-type]
        state=said.get("state"),  # type: ignore[arg-type]
        within_s=said.get("within"),  # type: ignore[arg-type]
    )


_WORDS: Mapping[str, Callable[[Words], lines.ScenarioLine]] = {
    "profile": _profile,
    "game": _game,
    "seats": _seats,
    "absent": _absent,
    "camera": _camera,
    "button": _button,
    "opening": _opening,
    "console": _console,
    "antennas": _antennas,
    "decks": _decks,
    "deck": _deck,
    "noise": _noise,
    "pace": _pace,
    "level": _level,
    "burn": _burn,
    "hole": _hole,
    "flop": _flop,
    "turn": _turn,
    "river": _river,
    "deal": _deal,
    "place": _place,
    "fold": _fold,
    "muck": _fold,
    "lift": _lift,
    "show": _show,
    "expose": _expose,
    "turn-up": _turn_up,
    "move": _move,
    "swap": _swap,
    "scramble": _scramble,
    "gather": _gather,
    "shuffle": _shuffle,
    "reshuffle-stub": _reshuffle,
    "seat": _seat,
    "key": _key,
    "sit-out": _sit_out,
    "in": _in,
    "out": _out,
    "fault": _fault,
    "clock": _clock,
    "no-rtc": _no_rtc,
    "post": _post,
    "ante": _ante,
    "stack": _stack,
    "award": _award,
    "act": _act,
    "rule": _rule,
    "dismiss": _dismiss,
    "attest": _attest,
    "count": _count,
    "wait": _wait,
    "power-cut": _power_cut,
    "expect": _expect,
}


# The file as a whole


def layout_of(antennas: lines.AntennasLine, miss: float, cross: float) -> Layout:
    """The table that a file stands at: the reference table, changed as its `antennas` line says."""
    return reference_layout(
        LayoutOptions(
            board=antennas.board,
            burn=antennas.burn,
            stub=antennas.stub,
            count=antennas.count,
            placement_seats=frozenset(antennas.placement_seats),
            max_stack=dict(antennas.max_stack) or None,
            miss_rate=miss,
            cross_rate=cross,
        )
    )


def _check_file(found: list[tuple[lines.ScenarioLine, int]], faults: list[Fault]) -> None:
    """What only the lines together can get wrong."""
    playing = False
    once: dict[tuple[type, object], int] = {}
    decks: Collection[str] = ("red",)
    seats: Collection[int] | None = None
    absent: list[tuple[lines.AbsentLine, int]] = []
    layout = layout_of(lines.AntennasLine(), 0.0, 0.0)
    for line, column in found:
        note = partial(_note, faults, line.line, column)
        if isinstance(line, SET_UP):
            repeatable = isinstance(line, lines.REPEATABLE)
            key = (type(line), line.what if isinstance(line, lines.SwitchLine) else None)
            if playing and not repeatable:
                note("a set-up line after the first act", "set-up lines before all acts")
            elif not playing and key in once and not isinstance(line, lines.ButtonLine):
                note(f"this is said already in line {once[key]}", "once before the first act")
            once.setdefault(key, line.line)
        else:
            playing = True
        match line:
            case lines.DecksLine(pairs=pairs):
                decks = [name for pair in pairs for name in pair]
            case lines.DeckLine(deck=name) | lines.SwapAct(deck=str(name)) if name not in decks:
                note(f"deck {name} is not enrolled", ", ".join(decks))
            case lines.SeatsLine(seats=now) if seats is None:
                seats = now
            case lines.AbsentLine() if not playing:
                absent.append((line, column))
            case lines.AntennasLine():
                layout = layout_of(line, 0.0, 0.0)
            case lines.PlaceAct(seat=seat) if seat not in _placement(layout):
                note(
                    f"seat {seat} has no placement antenna", "a seat of 'antennas seat N=placement'"
                )
            case lines.AntennaFault(antenna=n) if n not in layout.by_antenna:
                note(f"there is no antenna {n}", f"1 to {max(layout.by_antenna)}")
            case lines.ReaderFault(reader=n) if n not in {
                a.profile.reader for a in layout.antennas
            }:
                note(
                    f"there is no reader {n}",
                    f"1 to {max(a.profile.reader for a in layout.antennas)}",
                )
    for line_, column in absent:
        for seat in line_.seats:
            if seats is not None and seat not in seats:
                _note(
                    faults,
                    line_.line,
                    column,
                    f"seat {seat} is absent but not registered",
                    spell_seats(sorted(seats)),
                )


SET_UP = get_args(lines.SetUp)


def _note(faults: list[Fault], line: int, column: int, message: str, allowed: str) -> None:
    faults.append(Fault(line, column, message, allowed))


def _placement(layout: Layout) -> set[int]:
    return {
        int(a.zone[5:])
        for a in layout.antennas
        if a.zone.startswith("seat/") and a.arrival == "placement"
    }
