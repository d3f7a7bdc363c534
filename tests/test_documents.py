"""The documents keep their word: commands, links, file names, the worked examples, the version."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from typer import Typer
from typer.main import get_command

from controller.cli.main import PARTS
from controller.rules.profile import check
from controller.scenario.language import read
from controller.scenario.runner import NoiseChoice, run

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "firmware-interface").glob("*.md"),
        ROOT / "tests/scenarios/README.md",
    ]
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SUFFIXES = "py|md|toml|csv|json|deal|png|svg|tape"
EXAMPLES = {
    "labels.csv",
    "my-house.toml",
    "skipped-seat.deal",
    "table.toml",
    "night.tape",
    "board.png",
}
FOLDERS = (
    "",
    "controller/doctor",
    "controller/rates",
    "calibration",
    "controller/calibrating",
    "controller/rules/data",
    "controller/rules/engine",
    "controller/rules",
    "controller/integrity",
    "controller/sensing",
    "controller/vision",
    "controller/vision/training",
    "controller/journal",
    "controller/doctor",
    "controller/outputs",
    "controller/rates",
    "controller",
    "drivers/sim",
    "drivers/rfid",
    "firmware-interface",
    "calibration/camera",
    "drivers/gpio",
    "drivers/camera",
    "drivers/leds",
    "tests/drivers",
    "tests/drivers/on_umockdev",
)


def commands(text: str) -> list[list[str]]:
    """Every `burnturn …` in a document: in code blocks, indented lines and between back quotes."""
    lines = re.findall(r"`(burnturn [^`\n]+)`", text)
    lines += re.findall(r"^ {4}(burnturn .+)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines if "…" not in line]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_command_named_exists_with_its_options(document: Path) -> None:
    for words in commands(document.read_text(encoding="utf-8")):
        where = " ".join(words)
        words = words[: words.index(">")] if ">" in words else words
        assert words[1] in PARTS or words[1] == "--version", where
        if words[1] == "--version":
            continue
        app: Typer = import_module(PARTS[words[1]][0]).app
        command = get_command(app)
        rest = words[2:]
        inner = getattr(command, "commands", {})
        if inner and rest and not rest[0].startswith("-"):
            assert rest[0] in inner, where
            command, rest = inner[rest[0]], rest[1:]
        known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
        unknown = [w for w in rest if w.startswith("--") and w not in known | {"--help"}]
        assert not unknown, f"{where}: {unknown}"


def test_the_readme_names_every_command() -> None:
    named = {tuple(w for w in words[1:3] if w[0].isalpha()) for words in commands(README)}
    for part, (module, _) in PARTS.items():
        command = get_command(import_module(module).app)
        for name in getattr(command, "commands", {}):
            assert (part, name) in named, f"burnturn {part} {name}"
        assert any(words[0] == part for words in named if words), part


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_and_file_name_leads_somewhere(document: Path) -> None:
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (document.parent / target).exists(), target
    for name in re.findall(rf"`([\w./-]+\.(?:{SUFFIXES}))`", text):
        found = any((ROOT / folder / name).exists() for folder in FOLDERS)
        assert found or (document.parent / name).exists() or name in EXAMPLES, name


def test_every_function_in_the_architecture_exists() -> None:
    """`Name.method` and `module.function` for what our own files define."""
    text = FENCE.sub("", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    sources = [
        p
        for d in ("controller", "drivers", "calibration", "firmware-interface/tablelink")
        for p in (ROOT / d).rglob("*.py")
    ]
    code = {p: p.read_text(encoding="utf-8") for p in sources}
    everything = "\n".join(code.values())
    stems = {p.stem: p for p in sources}
    named = re.findall(r"`([A-Za-z_]\w*)\.([a-z_]\w*)(?:\([^`]*\))?`", text)
    for owner, name in named:
        if name in SUFFIXES.split("|"):
            continue
        if any(p.parts[-2:] == (owner, f"{name}.py") for p in sources):
            continue
        body = everything
        if owner[0].isupper():
            match = re.search(rf"^class {owner}\b.*?(?=^\S|\Z)", everything, re.M | re.S)
            assert match, f"there is no class {owner}"
            body = match.group()
        elif owner in stems:
            body = code[stems[owner]]
        defined = rf"\b(?:def {name}\b|self\.{name}\b|{name} ?[:=])"
        assert re.search(defined, body), f"{owner}.{name}"
    assert len(named) > 20


def test_the_architecture_names_every_file_of_the_rules_and_every_room() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for file in (ROOT / "controller/rules/engine").glob("[a-z]*.py"):
        assert f"`{file.name}`" in text, file.name
    for room in (ROOT / "controller").iterdir():
        if (room / "__init__.py").exists() and room.name != "cli":
            assert f"controller/{room.name}/" in text, room.name


def test_the_worked_scenario_runs() -> None:
    (text,) = [body for kind, body in FENCE.findall(README) if kind == "deal"]
    scenario = read(text).scenario
    assert scenario is not None
    assert run(scenario).ok
    noise = NoiseChoice(0.05, 0.02, 0.4)
    assert all(run(scenario, noise, seed).ok for seed in range(1, 6))


def test_the_worked_profile_is_in_order(tmp_path: Path) -> None:
    (text,) = [body for kind, body in FENCE.findall(README) if kind == "toml"]
    file = tmp_path / "my-house.toml"
    file.write_text(text, encoding="utf-8")
    assert check(file) == []


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    assert latest is not None
    assert latest.group(1) == project["version"] == version("burnturn")


def test_make_knows_the_targets_that_are_named() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        named = re.findall(r"(?:`|^ {4})make ([a-z0-9-]+)", text, re.MULTILINE)
        assert set(named) <= targets, document.name
