"""`burnturn deck`: the decks of the house."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from controller.config import Config
    from controller.integrity.box import DeckBox
    from controller.integrity.decks import Deck, DeckTag
    from controller.integrity.register import Registration
    from controller.vision.backs import BackPattern

# A traceback with the values of variables could name cards.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The house's decks: register, list, retire, move to another table; how worn they are, and"
    " how the house shuffles. Exit codes: 0 done, 1 aborted, 2 it could not be done.",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The deck's name.")]
ConfigPath = Annotated[
    Path | None, typer.Option("--config", help="The table.toml. Default: the simulated table.")
]
_PASSPHRASE_READ = 4096  # characters; whatever has no end of line is no file of one
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Phrase = Annotated[
    Path | None,
    typer.Option("--passphrase-file", metavar="FILE", help="Its first line; else you are asked."),
]


@app.command()
def register(
    name: Name,
    back: Annotated[str, typer.Option("--back", help="The colour of its backs, such as red.")],
    pair: Annotated[
        str | None, typer.Option("--pair", help="The deck with which it takes turns at a table.")
    ] = None,
    desk: Annotated[
        str | None,
        typer.Option(
            help="Lay it on a desktop NFC reader instead: its PC/SC name, a part of it, or any."
        ),
    ] = None,
    config: ConfigPath = None,
) -> None:
    """Lay a deck on the count antenna, card by card, then pass it over once more. Keys: u takes the
    last card back, j says that it is a joker, f finishes, a aborts.

    Without --config a robot's hand registers a fresh deck at the simulated table.
    """
    import asyncio

    from controller.cli.registering import Ended, lay
    from controller.integrity.count_antenna import count_antenna
    from controller.integrity.register import begin

    checked = _config("register", config)
    box = _box(checked)
    with _worded("register"):
        house = box.load()
        registration = begin(name, back, count_antenna(checked.layout), house, pair)
        box.prepare()
        try:
            ended = asyncio.run(lay(checked, registration, house, desk))
        except KeyboardInterrupt:
            ended = Ended(None, "interrupted")
    if ended.done is None:
        typer.echo(f"deck register: {ended.why}; nothing was registered", err=True)
        raise typer.Exit(1)
    deck = _kept(box, ended.done, pair)
    weakest = deck.weakest
    assert weakest is not None
    typer.echo(
        f"deck {name} is registered: {_cards(deck)}, {back} back; the weakest tag was read in"
        f" {weakest.rate:.0%} of its looks"
    )
    if ended.strangers:
        typer.echo(
            f"{_counted(ended.strangers, 'tag')} that {'is' if ended.strangers == 1 else 'are'}"
            " not of its 52 cards passed by: look through the deck once more"
        )
    if not checked.simulated:
        typer.echo("a table that is being watched knows it from its next start on")


def _kept(box: DeckBox, registration: Registration, pair: str | None) -> Deck:
    """The deck, on the disk. Where it cannot be kept, the work of laying it is not lost: a person
    may put things right and have it tried again."""
    from controller.integrity.box import BoxError
    from controller.integrity.decks import named
    from controller.integrity.register import registered

    with _worded("register"):
        deck = registration.deck(datetime.now(UTC).isoformat(timespec="seconds"))
        while True:
            try:
                return named(box.change(lambda house: registered(house, deck, pair)), deck.name)
            except BoxError as error:
                if not sys.stdin.isatty():
                    raise
                typer.echo(f"deck register: {error}", err=True)
                if not typer.confirm("the deck is laid and not kept yet; try again?", default=True):
                    raise typer.Exit(1) from None


@app.command()
def count(
    camera: Annotated[
        bool, typer.Option("--camera", help="By its faces, spread before a camera.")
    ] = False,
    photo: Annotated[
        list[Path] | None,
        typer.Option(
            "--photo",
            metavar="FILE",
            help="A photograph of the spread deck, instead of the table's camera; several times for"
            " several spreads.",
        ),
    ] = None,
    back: Annotated[
        Path | None,
        typer.Option(
            "--back", metavar="FILE", help="A photograph of one card of the deck, face down."
        ),
    ] = None,
    config: ConfigPath = None,
    as_json: AsJson = False,
) -> None:
    """Count a deck that lies spread face up, in two rows with every corner index showing.

    At the table the running daemon looks through its camera, and its board says what to do; a
    confirmed result is on record and certified. Photographs are only read. A card is called missing
    when two spreads show it so. Exit codes: 0 whole, 1 not whole, 2 it cannot be told yet.
    """
    from controller.cli.learned import hand_is_on
    from controller.cli.spreading import at_the_table, of_photos
    from controller.floor.commands import FloorError

    checked = _config("count", config)
    if not camera and not photo:
        _fail(
            "count",
            "with what? Next: burnturn deck count --camera, or burnturn table count to pass the"
            " deck over the count antenna",
        )
    if not photo:
        try:
            raise typer.Exit(at_the_table(checked.socket, typer.echo))
        except FloorError as error:
            _fail("count", f"{error}. Or give photographs: deck count --camera --photo FILE")
        except KeyboardInterrupt:
            raise typer.Exit(2) from None
    try:
        from controller.house import card_net
        from controller.vision.deck_look import DeckLookError
        from controller.vision.load import PictureFileError
        from controller.vision.spread_reader import SpreadReader
    except ImportError:
        _fail("count", "OpenCV is not installed. Next: pip install 'burnturn[camera-headless]'")
    with _worded("count"):
        named = not hand_is_on(checked)
    try:
        reader = SpreadReader(card_net(checked), _learnt_back(back))
        code = of_photos(photo, reader, named, as_json, typer.echo)
    except (PictureFileError, DeckLookError) as error:
        _fail("count", str(error))
    raise typer.Exit(code)


def _learnt_back(photo: Path | None) -> BackPattern | None:
    """What a photograph of a card that lies face down says of the deck's backs. Raises
    PictureFileError."""
    if photo is None:
        return None
    from controller.vision.backs import learn_back
    from controller.vision.load import load

    try:
        return learn_back(load(photo))
    except ValueError as error:
        _fail("count", f"{photo}: {error}")


@app.command("list")
def list_decks(config: ConfigPath = None, as_json: AsJson = False) -> None:
    """The house's decks, how well the weakest tag of each was read when it was registered, and how
    many of its tags are wearing out."""
    from controller.cli.learned import worn

    with _worded("list"):
        checked = _config("list", config)
        decks = _box(checked).load()
        wear = worn(checked, decks, _warn("list"))
    if as_json:
        told = [{**_told(deck), "wearing_out": len(wear[deck.name].weak)} for deck in decks]
        typer.echo(json.dumps({"decks": told}))
        return
    if not decks:
        typer.echo("no deck is registered yet. Next: burnturn deck register NAME --back red")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = ("name", "back", "status", "pair", "cards", "weakest tag", "worn")
    table = Table(*columns, "registered")
    for deck in decks:
        weakest = deck.weakest
        rate = f"{weakest.rate:.0%}" if weakest is not None else ""
        words = (deck.name, deck.back, deck.status.value, deck.pair or "", _cards(deck), rate)
        weak = len(wear[deck.name].weak)
        row = (*words, str(weak) if weak else "", deck.registered[:10])
        table.add_row(*map(Text, row))  # a name in brackets is a name, no markup
    Console().print(table)


@app.command()
def show(name: Name, config: ConfigPath = None, as_json: AsJson = False) -> None:
    """How well each tag of a deck was read when it was registered, the worst first; and, between
    hands, how well it is read at the table now, and which tags are wearing out."""
    from controller.cli.learned import hand_is_on, worn
    from controller.integrity.decks import named

    with _worded("show"):
        checked = _config("show", config)
        deck = named(_box(checked).load(), name)
        wear = worn(checked, [deck], _warn("show"))[name]
    tags = sorted(deck.tags, key=lambda tag: tag.rate)
    named_now = not hand_is_on(checked)
    lately = wear.rates if named_now else {}
    weak = [tag for tag in tags if tag.uid in wear.weak]
    if as_json:
        told = [{**_tag_told(tag), "lately": lately.get(tag.uid)} for tag in tags]
        out = {**_told(deck), "wearing_out": len(weak), "nights": wear.nights, "tags": told}
        if named_now:
            out["weak"] = [tag.face for tag in weak]
        typer.echo(json.dumps(out))
        return
    pair = f", paired with {deck.pair}" if deck.pair else ""
    typer.echo(f"{deck.name}: {deck.back} back, {deck.status}{pair}, {_cards(deck)}")
    if weak:
        names = ", ".join(f"{_face(t)} ({wear.rates[t.uid]:.0%})" for t in weak)
        them = "it is" if len(weak) == 1 else "they are"
        typer.echo(
            f"wearing out, read worse than the deck ({wear.deck_rate:.0%}) by more than chance: "
            + (names if named_now else f"{_counted(len(weak), 'tag')}; {them} named between hands")
        )
        typer.echo("Next: replace the deck before it has a tag that is read no more")
    for tag in tags:
        now = f", lately {lately[tag.uid]:.0%}" if tag.uid in lately else ""
        typer.echo(f"  {tag.rate:4.0%}  {_face(tag)}  ({tag.reads} of {tag.looks} looks{now})")


@app.command()
def shuffle(config: ConfigPath = None, as_json: AsJson = False) -> None:
    """What the table believes of the house's shuffle, and what it counted to believe it."""
    from controller.cli.learned import learned_shuffle, shuffle_told, shuffle_words

    with _worded("shuffle"):
        learned = learned_shuffle(_config("shuffle", config))
    if as_json:
        typer.echo(json.dumps(shuffle_told(learned)))
        return
    for line in shuffle_words(learned):
        typer.echo(line)


@app.command()
def retire(
    name: Name,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back into the house.")] = False,
    config: ConfigPath = None,
) -> None:
    """Take a deck out of the house: its cards are strangers from then on."""
    from controller.integrity.decks import ready, retired

    with _worded("retire"):
        act = ready if undo else retired
        _box(_config("retire", config)).change(lambda house: act(house, name))
    typer.echo(f"deck {name} is {'ready' if undo else 'retired'}")


@app.command()
def pair(
    one: Annotated[str, typer.Argument(metavar="A")],
    other: Annotated[str, typer.Argument(metavar="B")],
    config: ConfigPath = None,
) -> None:
    """Let two decks of different backs take turns at a table."""
    from controller.integrity.decks import paired

    with _worded("pair"):
        _box(_config("pair", config)).change(lambda house: paired(house, one, other))
    typer.echo(f"decks {one} and {other} are a pair")


@app.command()
def export(
    words: Annotated[
        list[str], typer.Argument(metavar="NAME... FILE", help="Decks, and a new file at the end.")
    ],
    passphrase_file: Phrase = None,
    config: ConfigPath = None,
) -> None:
    """Write decks into a file for another table, encrypted to a passphrase."""
    from controller.integrity.box import exported, write_export
    from controller.integrity.decks import named

    *names, target = words
    if not names:
        _fail("export", f"only {target!r} is given. Next: name the decks first, then the file")
    with _worded("export"):
        house = _box(_config("export", config)).load()
        decks = [named(house, name) for name in dict.fromkeys(names)]
        phrase = _passphrase("export", passphrase_file, anew=True)
        write_export(Path(target), exported(decks, phrase))
    typer.echo(
        f"{target}: {', '.join(deck.name for deck in decks)}. Whoever has the file and the"
        " passphrase knows every card: carry them apart, and delete the file once it is imported"
    )


@app.command("import")
def import_decks(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `deck export` wrote.")],
    rename: Annotated[
        list[str] | None,
        typer.Option("--rename", metavar="OLD=NEW", help="Where a name is taken here."),
    ] = None,
    passphrase_file: Phrase = None,
    config: ConfigPath = None,
) -> None:
    """Take decks over from another table. Cards that are registered here already are refused."""
    from controller.integrity.box import imported
    from controller.integrity.decks import added, renamed

    with _worded("import"):
        box = _box(_config("import", config))
        box.load()
        decks = imported(file, _passphrase("import", passphrase_file, anew=False))
        for words in rename or ():
            old, _, new = words.partition("=")
            decks = renamed(decks, old, new)
        box.change(lambda house: added(house, *decks))
    typer.echo(f"imported: {', '.join(deck.name for deck in decks)}")


@app.command()
def learn(
    photo: Annotated[
        Path | None,
        typer.Argument(metavar="[PHOTO]", help="A picture of all 52 cards spread face up."),
    ] = None,
    in_order: Annotated[
        bool,
        typer.Option(
            "--in-order",
            help="They lie ace to king of spades, hearts, diamonds, clubs, from the left, row by"
            " row: for indices that nobody else prints.",
        ),
    ] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Read cards by their usual looks again.")
    ] = False,
    config: ConfigPath = None,
) -> None:
    """Show the camera's reader the house's own deck, once, where it misreads that deck.

    What is learned goes to the file that the configuration names ([decks] look).
    """
    from controller.cli.learn_deck import forgotten, learned
    from controller.cli.learned import hand_is_on

    checked = _config("learn", config)
    with _worded("learn"):
        if forget:
            typer.echo(forgotten(checked.deck_look))
            return
        if photo is None:
            _fail("learn", "no picture is given. Next: burnturn deck learn PHOTO [--in-order]")
        named = not hand_is_on(checked)
        typer.echo(learned(photo, checked.deck_look, in_order=in_order, named=named))


# ---- words


def _told(deck: Deck) -> dict[str, object]:
    weakest = deck.weakest
    return {
        "name": deck.name,
        "back": deck.back,
        "status": deck.status.value,
        "pair": deck.pair,
        "cards": len(deck.cards),
        "jokers": len(deck.jokers),
        "weakest_read_rate": round(weakest.rate, 4) if weakest is not None else None,
        "registered": deck.registered,
    }


def _tag_told(tag: DeckTag) -> dict[str, object]:
    return {
        "face": tag.face,
        "reads": tag.reads,
        "looks": tag.looks,
        "read_rate": round(tag.rate, 4),
    }


def _face(tag: DeckTag) -> str:
    from controller.model.cards import face_name, is_joker

    return tag.face if is_joker(tag.face) else face_name(tag.face)


def _cards(deck: Deck) -> str:
    jokers = f" + {_counted(len(deck.jokers), 'joker')}" if deck.jokers else ""
    return f"{len(deck.cards)} cards{jokers}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


# ---- what the commands share


def _config(command: str, path: Path | None) -> Config:
    from controller.config import ConfigError, load

    try:
        return load(path)
    except ConfigError as error:
        _fail(command, str(error))


def _box(config: Config) -> DeckBox:
    from controller.integrity.box import DeckBox

    return DeckBox(config.deck_file, config.deck_key)


def _passphrase(command: str, file: Path | None, *, anew: bool) -> str:
    if file is not None:
        try:
            with file.open(encoding="utf-8") as opened:
                return opened.readline(_PASSPHRASE_READ).rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            _fail(command, f"{file}: cannot be read ({why}). Next: give a file of one line")
    if not sys.stdin.isatty():
        _fail(command, "there is nobody to ask for a passphrase. Next: give --passphrase-file FILE")
    said: str = typer.prompt("passphrase", hide_input=True, confirmation_prompt=anew)
    return said


@contextmanager
def _worded(command: str) -> Iterator[None]:
    """Every error that a person meets, in its words."""
    from controller.cli.learn_deck import LearnError
    from controller.integrity.box import BoxError
    from controller.integrity.decks import DeckError
    from controller.integrity.memory import MemoryFileError
    from drivers.errors import DriverError

    try:
        yield
    except (BoxError, DeckError, DriverError, LearnError, MemoryFileError) as error:
        _fail(command, str(error))


def _warn(command: str) -> Callable[[str], None]:
    return lambda text: typer.echo(f"deck {command}: {text}", err=True)


def _fail(command: str, text: str) -> NoReturn:
    for line in text.splitlines():
        typer.echo(f"deck {command}: {line}", err=True)
    raise typer.Exit(2)
