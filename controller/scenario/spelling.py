"""Writing scenario files: every line as it stands in a file."""

from __future__ import annotations

from controller.scenario import lines
from controller.scenario.reader import spell_duration, spell_seats, spell_share


def write(scenario: lines.Scenario) -> str:
    """The file's text, one line each; comments are not kept but for the rows that it covers."""
    head = [f"# covers: {', '.join(scenario.covers)}"] if scenario.covers else []
    return "\n".join([*head, *(spell(line) for line in scenario.lines)]) + "\n"


def spell(line: lines.ScenarioLine) -> str:
    """One line as it stands in a file."""
    match line:
        case lines.ProfileLine(name=name):
            return f"profile {name}"
        case lines.GameLine(game=game):
            return f"game {game}"
        case lines.SeatsLine(seats=seats):
            return f"seats {spell_seats(seats)}"
        case lines.AbsentLine(seats=seats):
            return f"absent {spell_seats(seats) or 'none'}"
        case lines.SwitchLine(what=what, on=on):
            return f"{what} {'on' if on else 'off'}"
        case lines.ButtonLine(seats=seats):
            return f"button {spell_seats(seats) or 'none'}"
        case lines.OpeningLine():
            return "opening"
        case lines.AntennasLine():
            return _spell_antennas(line)
        case lines.DecksLine(pairs=pairs):
            return "decks " + " | ".join(" ".join(pair) for pair in pairs)
        case lines.DeckLine(deck=deck, seed=seed):
            return f"deck {deck}{_spell_seed(seed)}"
        case lines.NoiseLine(miss=miss, cross=cross, sweep_s=sweep_s, seed=seed):
            return (
                f"noise miss {spell_share(miss)} cross {spell_share(cross)}"
                f" sweep {spell_duration(sweep_s)} seed {seed}"
            )
        case lines.PaceLine(pace_s=pace_s):
            return f"pace {spell_duration(pace_s)}"
        case lines.LevelLine(small=small, big=big):
            return f"level {small}/{big}"
        case (
            lines.ExpectFinding()
            | lines.ExpectCannotTell()
            | lines.ExpectBoard()
            | lines.ExpectNone()
        ):
            return _spell_expectation(line)
        case _:
            return _spell_act(line)


def _spell_antennas(line: lines.AntennasLine) -> str:
    parts = ["none"] if line.none else []
    parts += [
        f"board={line.board}",
        f"burn={line.burn}",
        f"stub={line.stub}",
        f"count={line.count}",
    ]
    parts += [f"seat {seat}=placement" for seat in line.placement_seats]
    if line.max_stack:
        parts += ["max-stack", *(f"{name}={n}" for name, n in line.max_stack)]
    return "antennas " + " ".join(parts)


def _spell_seed(seed: int | None) -> str:
    return "" if seed is None else f" seed {seed}"


def _spell_face(face_up: bool | None) -> str:
    return "" if face_up is None else " face up" if face_up else " face down"


def _spell_for(for_s: float | None) -> str:
    return "" if for_s is None else f" for {spell_duration(for_s)}"


def spell_place(place: lines.Place) -> str:
    return f"seat {place.seat}" if isinstance(place, lines.SeatPlace) else place.name


def spell_card(card: lines.CardAt) -> str:
    if card.place == lines.Pile("stub"):
        return "stub"
    return f"{spell_place(card.place)} card {card.card}"


def _spell_act(line: lines.Act) -> str:
    match line:
        case lines.BurnAct(face_up=up):
            return f"burn{_spell_face(up)}"
        case lines.HoleAct(until_seat=int(seat)):
            return f"hole until seat {seat}"
        case lines.HoleAct(deal_pass=int(n)):
            return f"hole pass {n}"
        case lines.HoleAct():
            return "hole"
        case lines.StreetAct(street=street, block=block, face_up=up):
            return f"{street}{' block' if block else ''}{_spell_face(up)}"
        case lines.DealAct(to=to, face_up=up):
            return f"deal {spell_place(to)}{_spell_face(up)}"
        case lines.PlaceAct(seat=seat, card=card, after_s=after_s):
            return f"place seat {seat} card {card} after {spell_duration(after_s)}"
        case lines.FoldAct(seat=seat, face_up=up):
            return f"fold {seat}{_spell_face(up or None)}"
        case lines.LiftAct(seat=seat, for_s=for_s):
            return f"lift {seat} for {spell_duration(for_s)}"
        case lines.ShowAct(seat=seat):
            return f"show {seat}"
        case lines.ExposeAct(card=at):
            return f"expose {spell_card(at)}"
        case lines.TurnUpAct(street=street):
            return f"turn-up {street}"
        case lines.TurnDownAct(card=at):
            return f"turn-down {spell_card(at)}"
        case lines.FlashAct(card=at, for_s=for_s):
            return f"flash {spell_card(at)}{_spell_for(for_s)}"
        case lines.CoverAct(place=place, for_s=for_s):
            return f"cover {'camera' if place is None else spell_place(place)}{_spell_for(for_s)}"
        case lines.MoveAct(card=at, to=to, stub_end=end):
            return f"move {spell_card(at)} -> {spell_place(to)}{f' {end}' if end else ''}"
        case lines.SwapAct(card=at, by=by, deck=deck, of=of):
            other = f" {deck}" if deck else f" {spell_card(of)}" if of else ""
            return f"swap {spell_card(at)} {by}{other}"
        case lines.ScrambleAct(place=place, first=first, last=last):
            return f"scramble {spell_place(place)} {first}-{last}"
        case lines.GatherAct():
            return "gather"
        case lines.ShuffleAct(seed=seed):
            return f"shuffle{_spell_seed(seed)}"
        case lines.ReshuffleStubAct(seed=seed):
            return f"reshuffle-stub{_spell_seed(seed)}"
        case lines.ChairAct(seat=seat, occupied=occupied):
            return f"seat {seat} {'occupied' if occupied else 'empty'}"
        case lines.KeyAct(key=key):
            return f"key {key}"
        case lines.RegistryAct(status=status, seat=seat):
            return f"{status} {seat}"
        case lines.ReaderFault(reader=n, for_s=for_s):
            return f"fault reader {n} lost{_spell_for(for_s)}"
        case lines.AntennaFault(antenna=n, fault=fault, for_s=for_s):
            return f"fault antenna {n} {fault}{_spell_for(for_s)}"
        case lines.DeadTagFault(face=face):
            return f"fault dead tag {face}"
        case lines.SwappedTagsFault(faces=(one, other)):
            return f"fault swapped tags {one} {other}"
        case lines.CameraFault(fault=fault, for_s=for_s):
            return f"fault camera {fault}{_spell_for(for_s)}"
        case lines.UnreadFault(card=at, for_s=for_s):
            return f"fault unread {spell_card(at)}{_spell_for(for_s)}"
        case lines.ClockJumpAct(by_s=by_s):
            return f"clock jump {'-' if by_s < 0 else '+'}{spell_duration(abs(by_s))}"
        case lines.NoRtcAct():
            return "no-rtc"
        case lines.WaitAct(for_s=for_s):
            return f"wait {spell_duration(for_s)}"
        case lines.PowerCutAct(for_s=for_s):
            return f"power-cut{_spell_for(for_s or None)}"
        case _:
            return _spell_word(line)


def _spell_word(
    line: lines.PostAct
    | lines.AnteAct
    | lines.StackAct
    | lines.AwardAct
    | lines.PlayerAct
    | lines.RuleAct
    | lines.DismissAct
    | lines.AttestAct
    | lines.CountDeckAct,
) -> str:
    """What is said or entered at the console."""
    match line:
        case lines.PostAct(seat=seat, blind=blind, amount=amount):
            return f"post {seat} {blind} {amount}"
        case lines.AnteAct(seat=seat, amount=amount):
            return f"ante {seat} {amount}"
        case lines.StackAct(seat=seat, amount=amount):
            return f"stack {seat} {amount}"
        case lines.AwardAct(seat=seat, amount=amount):
            return f"award {seat} {amount}"
        case lines.PlayerAct(seat=seat, word=action, amount=money):
            return f"act {seat} {action}{'' if money is None else f' {money}'}"
        case lines.RuleAct(code=code, ruling=ruling):
            return f'rule {code} "{ruling}"'
        case lines.DismissAct(code=code):
            return f"dismiss {code}"
        case lines.AttestAct(row=row):
            return f"attest {'all' if row is None else row}"
        case lines.CountDeckAct(minus=minus, plus=plus):
            less = f" minus {','.join(minus)}" if minus else ""
            word = plus if plus in {None, "foreign", "joker"} else f"duplicate {plus}"
            return f"count deck{less}{f' plus {word}' if word else ''}"


def _spell_expectation(line: lines.Expectation) -> str:
    match line:
        case lines.ExpectNone():
            return "expect none"
        case lines.ExpectBoard(text=text):
            said = f'expect board "{text}"'
        case lines.ExpectCannotTell(codes=codes, street=street):
            said = f"expect cannot-tell {' | '.join(codes)}"
            said += f" street={street}" if street else ""
        case lines.ExpectFinding(codes=codes):
            said = f"expect {' | '.join(codes)}"
            for name in ("seat", "street", "clause", "zone", "state"):
                value = getattr(line, name)
                said += "" if value is None else f" {name}={value}"
    return said if line.within_s is None else f"{said} within {spell_duration(line.within_s)}"
