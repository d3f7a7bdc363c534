"""Two bitmap faces drawn for LED boards: SMALL, five rows high, and LARGE, seven rows high.

Glyphs are pictures in the source, so that they can be read and corrected here. Widths vary: an M
squeezed into three columns is no M. Text is upper case; an unknown character shows as a hollow box
and never fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

TICK = "✓"
CROSS = "×"
ARROW = "→"

_SMALL = """
A .#. #.# ### #.# #.#
B ##. #.# ##. #.# ##.
C .## #.. #.. #.. .##
D ##. #.# #.# #.# ##.
E ### #.. ##. #.. ###
F ### #.. ##. #.. #..
G .## #.. #.# #.# .##
H #.# #.# ### #.# #.#
I # # # # #
J ..# ..# ..# #.# .#.
K #.# #.# ##. #.# #.#
L #.. #.. #.. #.. ###
M #...# ##.## #.#.# #...# #...#
N ##. #.# #.# #.# #.#
O ### #.# #.# #.# ###
P ### #.# ### #.. #..
Q ###. #.#. #.#. #.#. ####
R ### #.# ##. #.# #.#
S .## #.. .#. ..# ##.
T ### .#. .#. .#. .#.
U #.# #.# #.# #.# ###
V #.# #.# #.# #.# .#.
W #...# #...# #.#.# ##.## #...#
X #.# #.# .#. #.# #.#
Y #.# #.# .#. .#. .#.
Z ### ..# .#. #.. ###
0 ### #.# #.# #.# ###
1 .# ## .# .# .#
2 ##. ..# .#. #.. ###
3 ##. ..# .#. ..# ##.
4 #.# #.# ### ..# ..#
5 ### #.. ##. ..# ##.
6 .## #.. ### #.# ###
7 ### ..# .#. .#. .#.
8 ### #.# ### #.# ###
9 ### #.# ### ..# ##.
. . . . . #
, .. .. .. .# #.
: . # . # .
; .. .# .. .# #.
! # # # . #
? ##. ..# .#. ... .#.
- ... ... ### ... ...
_ ... ... ... ... ###
+ ... .#. ### .#. ...
/ ..# ..# .#. #.. #..
( .# #. #. #. .#
) #. .# .# .# #.
' # # . . .
" #.# #.# ... ... ...
= ... ### ... ### ...
> #.. .#. ..# .#. #..
< ..# .#. #.. .#. ..#
# .#.#. ##### .#.#. ##### .#.#.
% #.# ..# .#. #.. #.#
* ... #.# .#. #.# ...
& .#.. #.#. .#.. #.#. .#.#
→ ..#.. ...#. ##### ...#. ..#..
✓ ....# ...#. #.#.. .#... .....
× ..... .#.#. ..#.. .#.#. .....
· . . # . .
"""

_LARGE = """
A .###. #...# #...# ##### #...# #...# #...#
B ####. #...# #...# ####. #...# #...# ####.
C .###. #...# #.... #.... #.... #...# .###.
D ####. #...# #...# #...# #...# #...# ####.
E ##### #.... #.... ####. #.... #.... #####
F ##### #.... #.... ####. #.... #.... #....
G .###. #...# #.... #.### #...# #...# .###.
H #...# #...# #...# ##### #...# #...# #...#
I ### .#. .#. .#. .#. .#. ###
J ..### ...#. ...#. ...#. ...#. #..#. .##..
K #...# #..#. #.#.. ##... #.#.. #..#. #...#
L #.... #.... #.... #.... #.... #.... #####
M #...# ##.## #.#.# #.#.# #...# #...# #...#
N #...# ##..# ##..# #.#.# #..## #..## #...#
O .###. #...# #...# #...# #...# #...# .###.
P ####. #...# #...# ####. #.... #.... #....
Q .###. #...# #...# #...# #.#.# #..#. .##.#
R ####. #...# #...# ####. #.#.. #..#. #...#
S .#### #.... #.... .###. ....# ....# ####.
T ##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..
U #...# #...# #...# #...# #...# #...# .###.
V #...# #...# #...# #...# #...# .#.#. ..#..
W #...# #...# #...# #.#.# #.#.# ##.## #...#
X #...# #...# .#.#. ..#.. .#.#. #...# #...#
Y #...# #...# .#.#. ..#.. ..#.. ..#.. ..#..
Z ##### ....# ...#. ..#.. .#... #.... #####
0 .###. #...# #..## #.#.# ##..# #...# .###.
1 .#. ##. .#. .#. .#. .#. ###
2 .###. #...# ....# ...#. ..#.. .#... #####
3 .###. #...# ....# ..##. ....# #...# .###.
4 ...#. ..##. .#.#. #..#. ##### ...#. ...#.
5 ##### #.... ####. ....# ....# #...# .###.
6 .###. #.... #.... ####. #...# #...# .###.
7 ##### ....# ...#. ...#. ..#.. ..#.. ..#..
8 .###. #...# #...# .###. #...# #...# .###.
9 .###. #...# #...# .#### ....# ....# .###.
. .. .. .. .. .. ## ##
, .. .. .. .. .# .# #.
: .. ## ## .. ## ## ..
; .. ## ## .. ## .# #.
! ## ## ## ## .. ## ##
? .###. #...# ....# ..##. ..#.. ..... ..#..
- .... .... .... #### .... .... ....
_ ..... ..... ..... ..... ..... ..... #####
+ ..... ..#.. ..#.. ##### ..#.. ..#.. .....
/ ....# ....# ...#. ..#.. .#... #.... #....
( ..# .#. #.. #.. #.. .#. ..#
) #.. .#. ..# ..# ..# .#. #..
' # # # . . . .
" #.# #.# #.# ... ... ... ...
= .... .... #### .... #### .... ....
> #... .#.. ..#. ...# ..#. .#.. #...
< ...# ..#. .#.. #... .#.. ..#. ...#
# .#.#. .#.#. ##### .#.#. ##### .#.#. .#.#.
% ##..# ##..# ...#. ..#.. .#... #..## #..##
* ..... #.#.# .###. ##### .###. #.#.# .....
& .##.. #..#. #.#.. .#... #.#.# #..#. .##.#
→ ..#.. ..##. ##### ##### ..##. ..#.. .....
✓ ...... .....# ....#. #..#.. .##... ..#... ......
× ..... #...# .#.#. ..#.. .#.#. #...# .....
· .. .. .. ## ## .. ..
"""


@dataclass(
    frozen=True, slots=True, eq=False
)  # told apart by identity, so that texts can be cached by face
class Face:
    """A bitmap face. glyphs: lit pixels of each character as (x, y), with the character's width."""

    height: int
    glyphs: Mapping[str, tuple[int, tuple[tuple[int, int], ...]]]

    def glyph(self, character: str) -> tuple[int, tuple[tuple[int, int], ...]]:
        return self.glyphs.get(character) or self.glyphs["\0"]

    def width(self, text: str) -> int:
        """Columns that `text` takes, one blank column between two characters."""
        return sum(self.glyph(c)[0] + 1 for c in text) - 1 if text else 0


def _face(source: str, height: int, space: int) -> Face:
    glyphs: dict[str, tuple[int, tuple[tuple[int, int], ...]]] = {" ": (space, ())}
    for line in source.strip().splitlines():
        character, *rows = line.split(" ")
        if len(rows) != height or len({len(r) for r in rows}) != 1:
            raise AssertionError(f"glyph {character!r} is not {height} rows of one width")
        lit = tuple((x, y) for y, row in enumerate(rows) for x, dot in enumerate(row) if dot == "#")
        glyphs[character] = (len(rows[0]), lit)
    box = [(x, y) for y in range(height) for x in range(3) if y in (0, height - 1) or x != 1]
    glyphs["\0"] = (3, tuple(box))
    return Face(height, glyphs)


SMALL = _face(_SMALL, 5, 2)
LARGE = _face(_LARGE, 7, 3)


def plain(text: str) -> str:
    """The text as the faces can show it: upper case, typographic signs replaced."""
    swaps = {"–": "-", "—": "-", "−": "-", "’": "'", "“": '"', "”": '"', "…": "...", "\n": " "}
    return "".join(swaps.get(c, c) for c in text).upper()


@lru_cache(maxsize=256)
def wrapped(text: str, face: Face, width: int) -> tuple[str, ...]:
    """Lines of at most `width` columns, broken between words; a word too long for a line is cut.

    A number stays with the word before it (SEAT 6), if both fit a line.
    """
    words: list[str] = []
    for word in text.split():
        if words and word[-1].isdigit() and face.width(f"{words[-1]} {word}") <= width:
            words[-1] += f" {word}"
        else:
            words.append(word)
    lines: list[str] = []
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if face.width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while face.width(word) > width:
            cut = max(n for n in range(1, len(word)) if n == 1 or face.width(word[:n]) <= width)
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    if line:
        lines.append(line)
    return tuple(lines)
