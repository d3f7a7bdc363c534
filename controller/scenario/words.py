"""The words of a scenario file: from a line's first word to the function that reads the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from controller.model.findings import Street
from controller.model.table import MAX_SEATS
from controller.scenario import lines
from controller.scenario.reader import MOST, Words, spell_duration

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
COVER_PILES: tuple[lines.PileName, ...] = ("board", "burn", "muck", "stub")
TO_PILES: tuple[lines.PileName, ...] = (*DEAL_PILES, "stub")
LONGEST_JUMP_S = 438_000 * 3600.0
"""A machine without a battery wakes in 1970 and is set right later: half a century, either way."""
DECK_NAMES = ("red", "blue", "green", "black")
KEYS: tuple[lines.KeyName, ...] = get_args(lines.KeyName)
STREETS: tuple[str, ...] = tuple(Street)
STATES: tuple[lines.StateName, ...] = get_args(lines.StateName)


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
    "none, board=one|three, burn=own|muck, stub=none|own, count=own|burn, seat N=placement, "
    "max-stack …"
)
_STACKS = ("seat", "burn", "board", "muck")


def _antennas(w: Words) -> lines.ScenarioLine:
    chosen: dict[str, str] = {}
    placement: set[int] = set()
    stacks: dict[str, int] = {}
    in_stacks = False
    none = w.maybe("none")
    if not w.more and not none:
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
        none=none,
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


def _face_up(w: Words) -> bool | None:
    return w.pick("face", ("up", "down")) == "up" if w.maybe("face") else None


def _burn(w: Words) -> lines.ScenarioLine:
    return lines.BurnAct(face_up=_face_up(w), line=w.line)


def _street(w: Words, street: Literal["flop", "turn", "river"]) -> lines.ScenarioLine:
    block = w.maybe("block")
    return lines.StreetAct(street=street, block=block, face_up=_face_up(w), line=w.line)


def _hole(w: Words) -> lines.ScenarioLine:
    if w.maybe("until"):
        w.must("seat")
        return lines.HoleAct(until_seat=w.seat(), line=w.line)
    if w.maybe("pass"):
        return lines.HoleAct(deal_pass=w.whole("pass", 1, 4), line=w.line)
    return lines.HoleAct(line=w.line)


def _flop(w: Words) -> lines.ScenarioLine:
    return _street(w, "flop")


def _turn(w: Words) -> lines.ScenarioLine:
    return _street(w, "turn")


def _river(w: Words) -> lines.ScenarioLine:
    return _street(w, "river")


def _deal(w: Words) -> lines.ScenarioLine:
    return lines.DealAct(to=w.place(DEAL_PILES), face_up=_face_up(w), line=w.line)


def _place(w: Words) -> lines.ScenarioLine:
    w.must("seat")
    seat = w.seat()
    w.must("card")
    card = w.whole("card", 1, 4)
    w.must("after")
    return lines.PlaceAct(seat=seat, card=card, after_s=w.duration("after"), line=w.line)


def _fold(w: Words) -> lines.ScenarioLine:
    return lines.FoldAct(seat=w.seat(), face_up=bool(_face_up(w)), line=w.line)


def _lift(w: Words) -> lines.ScenarioLine:
    seat = w.seat()
    w.must("for")
    return lines.LiftAct(seat=seat, for_s=w.duration("for", 0.1), line=w.line)


def _show(w: Words) -> lines.ScenarioLine:
    return lines.ShowAct(seat=w.seat(), line=w.line)


def _expose(w: Words) -> lines.ScenarioLine:
    return lines.ExposeAct(card=w.card_at((*CARD_PILES, "stub")), line=w.line)


def _turn_up(w: Words) -> lines.ScenarioLine:
    streets: tuple[Literal["flop", "turn", "river"], ...] = ("flop", "turn", "river")
    return lines.TurnUpAct(street=w.pick("street", streets), line=w.line)


def _turn_down(w: Words) -> lines.ScenarioLine:
    return lines.TurnDownAct(card=w.card_at(CARD_PILES), line=w.line)


def _flash(w: Words) -> lines.ScenarioLine:
    card = w.card_at((*CARD_PILES, "stub"))
    w.must("for")
    return lines.FlashAct(card=card, for_s=w.duration("for", 0.1), line=w.line)


def _cover(w: Words) -> lines.ScenarioLine:
    place = None if w.maybe("camera") else w.place(COVER_PILES)
    w.must("for")
    return lines.CoverAct(place=place, for_s=w.duration("for", 0.1), line=w.line)


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
    what = w.pick("fault", ("reader", "antenna", "camera", "dead", "swapped", "unread"))
    if what == "reader":
        reader = w.whole("reader", 1, 4)
        w.must("lost")
        return lines.ReaderFault(reader=reader, for_s=_for(w), line=w.line)
    if what == "antenna":
        antenna = w.whole("antenna", 1, 32)
        fault: Literal["stuck", "ghost", "noise"]
        fault = w.pick("fault", ("stuck", "ghost", "noise"))
        return lines.AntennaFault(antenna=antenna, fault=fault, for_s=_for(w), line=w.line)
    if what == "camera":
        kinds: tuple[Literal["lost", "blurred"], ...] = ("lost", "blurred")
        return lines.CameraFault(fault=w.pick("fault", kinds), for_s=_for(w), line=w.line)
    if what == "swapped":
        w.must("tags")
        return lines.SwappedTagsFault(faces=(w.face(), w.face()), line=w.line)
    if what == "dead":
        w.must("tag")
        return lines.DeadTagFault(face=w.face(), line=w.line)
    return lines.UnreadFault(card=w.card_at(CARD_PILES), for_s=_for(w), line=w.line)


def _clock(w: Words) -> lines.ScenarioLine:
    w.must("jump")
    column = w.column
    text = w.name("a time with its sign, such as +2h")
    m = re.fullmatch(r"([+-])(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h)", text, re.ASCII)
    if not m:
        raise w.lost(f"'{text}' is no jump", "a time with its sign, such as +2h or -90s", column)
    seconds = float(m.group(2)) * {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}[m.group(3)]
    if seconds > LONGEST_JUMP_S:
        hours = spell_duration(LONGEST_JUMP_S)
        w.note(f"no wall clock jumps by {text}", f"-{hours} to +{hours}, fifty years", column)
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
    word = w.name("a clause id, or all")
    return lines.AttestAct(row=None if word == "all" else w.row(word, column), line=w.line)


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


@dataclass(slots=True)
class _Attributes:
    seat: int | None = None
    street: Street | None = None
    clause: str | None = None
    zone: str | None = None
    state: lines.StateName | None = None
    within_s: float | None = None


def _attributes(w: Words, names: tuple[str, ...]) -> _Attributes:
    """The attributes behind the codes, each at most once, in any order."""
    found = _Attributes()
    said: set[str] = set()
    allowed = ", ".join([*(f"{n}=" for n in names), "within TIME"])
    while w.more:
        column = w.column
        word = w.take(allowed).text.rstrip(",")
        name, equals, value = word.partition("=")
        inside = column + len(name) + 1
        if name in said:
            w.note(f"{name} is said twice", "once", column)
        said.add(name)
        if word == "within":
            found.within_s = w.duration("within", 0.1)
        elif word == "|":
            raise w.lost(
                "attributes hold for every code; they follow the last one", allowed, column
            )
        elif not equals or name not in names:
            w.note(f"'{word}' is no attribute here", allowed, column)
        elif name == "seat":
            found.seat = w.bounded(value, inside, "seat", 1, lines.LAST_SEAT)
        elif name == "street":
            found.street = w.one_of("street", value, inside, tuple(Street))
        elif name == "state":
            found.state = w.one_of("state", value, inside, STATES)
        elif name == "zone":
            found.zone = w.zone(value, inside)
        else:
            found.clause = w.row(value, inside)
    return found


WORDS: Mapping[str, Callable[[Words], lines.ScenarioLine]] = {
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
    "turn-down": _turn_down,
    "flash": _flash,
    "cover": _cover,
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
