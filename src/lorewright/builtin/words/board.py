"""Words -> the squares of a board that they mean: by row and column, number, kind, what they lie beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from rapidfuzz.distance import OSA

from lorewright.builtin.words.clauses import capitalised, listed, with_article
from lorewright.scene_lore.nouns import known_words
from lorewright.shipped_tables import read_table
from lorewright.values.scope import Board, Square

Cell = tuple[int, int]
Cells = frozenset[Cell]

# The words of a board.

ROWS = {
    "top": 0,
    "upper": 0,
    "uppermost": 0,
    "topmost": 0,
    "highest": 0,
    "bottom": -1,
    "lower": -1,
    "lowest": -1,
    "up": 0,
    "down": -1,
}
COLUMNS = {"left": 0, "leftmost": 0, "lefthand": 0, "right": -1, "rightmost": -1, "righthand": -1}
MIDDLE = frozenset("middle centre center central mid".split())
OF_ROWS = frozenset("row rows line lines".split())
OF_COLUMNS = frozenset("column columns col".split())
SQUARES = frozenset("square squares box boxes cell cells spot field fields place space tile slot position".split())
CORNERS = frozenset("corner corners".split())
EDGES = frozenset("edge edges side sides".split())
FREE = frozenset("free empty open unmarked remaining vacant available".split())
_NUMBERS = {
    word: number
    for number, words in enumerate(
        "one first 1st|two second 2nd|three third 3rd|four fourth 4th|five fifth 5th|six sixth 6th|seven seventh 7th"
        "|eight eighth 8th|nine ninth 9th|ten tenth 10th|eleven eleventh 11th|twelve twelfth 12th".split("|"),
        start=1,
    )
    for word in words.split()
}
ORDINALS = frozenset(word for word in _NUMBERS if word.endswith(("st", "nd", "rd", "th")) and word != "eleven")
# Words between those that say where: they say nothing themselves.
FILL = frozenset(
    "the a an of in at on to one ones hand by very far dead bang extreme board grid slate that is there's that's which "
    "this just over and's as still any whichever whatever last only right_at , - ( ) number no #".split()
)
_STEPS: Mapping[str, Sequence[Cell]] = {
    "below": ((1, 0),),
    "above": ((-1, 0),),
    "left": ((0, -1),),
    "right": ((0, 1),),
    "beside": ((1, 0), (-1, 0), (0, 1), (0, -1)),
}
HIS = frozenset("you your yours his him he theirs their".split())
IT = frozenset("it that this there".split())
MINE = frozenset("my mine me i".split())
# Words of lines, of places, of who has what; and those that may stand between words that say where.
LINES, PLACES, REFERRING = OF_ROWS | OF_COLUMNS, SQUARES | CORNERS | MIDDLE | EDGES, HIS | MINE | IT
BETWEEN = FILL | SQUARES | FREE
_SHORT = {
    "tl": "top left", "tm": "top middle", "tc": "top middle", "tr": "top right", "ml": "middle left",
    "mr": "middle right", "bl": "bottom left", "bm": "bottom middle", "bc": "bottom middle", "br": "bottom right",
    "lft": "left", "rt": "right", "rite": "right", "rght": "right", "btm": "bottom", "bttm": "bottom",
    "bot": "bottom", "cntr": "centre", "ctr": "centre", "centr": "centre", "upr": "upper", "lwr": "lower",
    "sq": "square", "northwest": "top left", "northeast": "top right", "southwest": "bottom left",
    "southeast": "bottom right", "north": "top", "south": "bottom", "west": "left", "east": "right", "da": "the",
    "teh": "the", "topleft": "top left", "topright": "top right", "bottomleft": "bottom left",
    "bottomright": "bottom right", "rightmiddle": "right middle", "midde": "middle",
}  # fmt: skip
_SPELLED = (
    *("top bottom left right middle centre center central corner square column upper lower opposite diagonal".split()),
)

PIECES = frozenset("knight bishop rook queen king pawn castle checkmate check castling".split())
_TOKEN = re.compile(r"[a-z0-9#]+(?:'[a-z]+)?|[,()-]")


# The words of such lines: board.yaml.


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    tables: Mapping[str, Mapping[str, str]] = read_table(__package__, "board.yaml")
    return tables


@cache
def words_for(use: str) -> frozenset[str]:
    """Return the words of a use."""
    return frozenset(str(_tables()["words"][use]).split())


@cache
def pattern_for(use: str) -> re.Pattern[str]:
    """Return the pattern of a use."""
    return re.compile("|".join(_tables()["patterns"][use].splitlines()), re.IGNORECASE)


@cache
def relations() -> Sequence[tuple[str, str]]:
    """Return how a square may lie to others: the phrase for it, and the relation, the longest phrases first."""
    found = [(phrase, name) for name, said in _tables()["relations"].items() for phrase in said.split(", ")]
    return sorted(found, key=lambda row: -len(row[0]))


@dataclass(frozen=True, slots=True)
class Pick:
    """What a part of a line means on the board: squares, and whether they are only ruled out; a `refusal` in words
    where none can be meant; `is_many` where it is more than one move."""

    cells: Cells = frozenset()
    is_ruled_out: bool = False
    refusal: str = ""
    is_many: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A board as cells: a row and a column, from 0."""

    board: Board
    cells: Mapping[Cell, Square] = field(default_factory=dict)
    # What was meant last: `the one above it`.
    last: Cells = frozenset()

    @property
    def height(self) -> int:
        """Return how many rows there are."""
        return len(self.board.rows)

    @property
    def width(self) -> int:
        """Return how many columns there are."""
        return len(self.board.rows[0])

    def free(self) -> Cells:
        """Return the squares that nobody has marked."""
        return frozenset(cell for cell, square in self.cells.items() if not square.holder)

    def held(self, *, own: bool) -> Cells:
        """Return the squares that the player holds, or the others."""
        is_own = {cell: square.holder == self.board.own for cell, square in self.cells.items() if square.holder}
        return frozenset(cell for cell, mine in is_own.items() if mine is own)

    def lines(self) -> Iterator[tuple[Cell, ...]]:
        """Yield the lines of as many squares as win."""
        many = self.board.in_line
        for row, column in self.cells:
            for down, along in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = tuple((row + down * step, column + along * step) for step in range(many))
                if many and line[-1] in self.cells:
                    yield line

    def thirds(self, *, own: bool) -> Cells:
        """Return the free squares that fill a line of the player's, or of another's."""
        free, held = self.free(), self.held(own=own)
        return frozenset(cell for line in self.lines() for cell in line if cell in free and set(line) - {cell} <= held)

    def corners(self) -> Cells:
        """Return the squares at the four corners."""
        return frozenset((row, column) for row in (0, self.height - 1) for column in (0, self.width - 1))

    def edges(self) -> Cells:
        """Return the squares at the rim that are no corners."""
        rim = {
            (row, column) for row, column in self.cells if row in (0, self.height - 1) or column in (0, self.width - 1)
        }
        return frozenset(rim) - self.corners()

    def named(self, cells: Iterable[Cell]) -> list[str]:
        """Return the names of squares, row by row."""
        return [with_article(self.cells[cell].name) for cell in sorted(cells)]

    def numbered(self, number: int) -> Cells:
        """Return the square of a number, counted row by row; none where there is none."""
        at = ((number - 1) // self.width, (number - 1) % self.width)
        return frozenset((at,)) & frozenset(self.cells)

    def other(self) -> str:
        """Return the name of the one who plays against the player."""
        return next((name for who, name in self.board.names.items() if who != self.board.own), "the other side")

    def mark(self, *, own: bool) -> str:
        """Return the word for a mark of the player's, or of another's."""
        marks = self.board.marks
        return next((words[0] for who, words in marks.items() if (who == self.board.own) is own and words), "mark")


def grid_of(board: Board) -> Grid:
    """Return a board as a grid."""
    return Grid(
        board, {(row, column): square for row, line in enumerate(board.rows) for column, square in enumerate(line)}
    )


# Words -> cells.


@cache
def _mended(word: str) -> str:
    if word in _SHORT:
        return _SHORT[word]
    if len(word) < 3 or word in known_words() or word in _known():
        return word
    near = [(OSA.distance(word, right), right) for right in _SPELLED]
    distance, right = min(near)
    return right if distance <= (1 if len(word) < 5 else 2) and distance < len(word) - 2 else word


@cache
def _known() -> frozenset[str]:
    sets = (PIECES, ROWS, COLUMNS, MIDDLE, OF_ROWS, OF_COLUMNS, SQUARES, CORNERS, EDGES, _NUMBERS, FILL)
    return words_for("near").union(*sets)


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in lower case, those of a board spelled out."""
    plain = text.casefold().replace("’", "'").replace("->", " ").replace("heart of the ", "middle of the ")
    plain = re.sub(r"(?:^|(?<=[.!?;] ))right[:.!;](?= )", " ", plain)
    plain = re.sub(r"\b(?:(?:that'?s|you'?re|all|is|quite|too) right\b|right (?=(?:in|at|into|on) the\b))", " ", plain)
    plain = re.sub(r"\b(left|right)[- ]?hand\b(?= (?:side|corner|square|column|edge|one|box))", r"\1", plain)
    words = " ".join(_mended(word) for word in _TOKEN.findall(plain))
    return [word for word in words.split() if word != "-"]


def own_part(text: str) -> str:
    """Return words over a board without what is only feigned, or looked at before one does something, and without what
    somebody else is said to do."""
    turn = pattern_for("after").search(text)
    if turn is not None and set(tokens_of(text[: turn.start()])) & words_for("looking"):
        text = text[turn.end() :]
    return pattern_for("feigned").sub(" ", text)


def is_where(word: str) -> bool:
    """Tell whether a word says where on a board something is."""
    return (
        word in ROWS
        or word in COLUMNS
        or word in MIDDLE
        or word in CORNERS
        or word in EDGES
        or word in OF_ROWS
        or word in OF_COLUMNS
    )


def where(grid: Grid, words: Sequence[str]) -> Pick | None:
    """Return the squares that words mean which stand together; None where they say nothing of where."""
    text = _FROM_SIDE.sub(lambda found: _counted_from(grid, found), " ".join(words))
    words = text.split()
    for phrase, relation in relations():
        found = re.search(rf"(?:^| )(?:(?:just|right|directly|immediately|straight) )?{phrase}(?: |$)", text)
        if found is not None:
            before, after = text[: found.start()].split(), text[found.end() :].split()
            if relation == "opposite" and not set(after) - FILL - CORNERS - SQUARES - EDGES:
                # `the opposite corner`: of the only one that is held.
                after, before = ["yours"], [*before, *after]
            if (relation in ("left", "right") and not after) or (not after and relation != "opposite"):
                continue
            return _related(grid, relation, before, after)
    return _placed(grid, words)


_FROM_SIDE = re.compile(r"\b(\w+)((?: \w+)?) from (?:the )?(top|bottom|left|right)\b")


def _counted_from(grid: Grid, found: re.Match[str]) -> str:
    """Return `row 2` for `second from the top`; other words as they are."""
    number, side = number_of(found[1]), found[3]
    if not number:
        return found[0]
    size = grid.height if side in ("top", "bottom") else grid.width
    axis = "row" if side in ("top", "bottom") else "column"
    return f"{axis} {number if side in ('top', 'left') else size + 1 - number}"


def _related(grid: Grid, relation: str, before: Sequence[str], after: Sequence[str]) -> Pick | None:
    if relation == "between":
        joint = list(after).index("and") if "and" in after else len(after)
        ends = [where(grid, after[:joint]), where(grid, after[joint + 1 :])]
        if any(end is None or len(end.cells) != 1 for end in ends):
            return None
        (first,), (second,) = (end.cells for end in ends if end is not None)
        middle = frozenset(
            cell for cell in grid.cells if (cell[0] * 2, cell[1] * 2) == (first[0] + second[0], first[1] + second[1])
        )
        return Pick(middle) if middle else Pick(refusal="There is no square just between those two.")
    base = _owned(grid, after) or where(grid, after)
    if base is None or base.refusal:
        return base
    many = next(
        (number_of(word) for word, then in pairwise(before) if then in SQUARES and number_of(word)),
        1,
    )
    if many > 1:
        before = [word for word in before if not number_of(word)]
    if relation == "opposite":
        cells = {(grid.height - 1 - row, grid.width - 1 - column) for row, column in base.cells}
        if "corner" not in before and not base.cells <= grid.corners():
            cells |= {(grid.height - 1 - row, column) for row, column in base.cells if row not in (0, grid.height - 1)}
    else:
        cells = {
            (row + down * many, column + along * many) for row, column in base.cells for down, along in _STEPS[relation]
        }
    inside = frozenset(cell for cell in cells if cell in grid.cells) - base.cells
    if not inside:
        return Pick(refusal="There is no square there: that would be off the board.")
    head = _placed(grid, before)
    narrowed = inside & head.cells if head is not None else inside
    return Pick(narrowed or (inside if head is None else head.cells - base.cells))


def _owned(grid: Grid, words: Sequence[str]) -> Pick | None:
    """Return the squares of somebody's marks that words mean: `yours`, `his last nought`, `my cross`."""
    named = set(words)
    if grid.last and named & IT and not named - IT - FILL:
        return Pick(grid.last)
    if any(map(is_where, named - {"right", "left"})):
        return None
    rivals = {word for who, marks in grid.board.marks.items() if who != grid.board.own for word in marks}
    own = {word for who, marks in grid.board.marks.items() if who == grid.board.own for word in marks}
    names = {part for name in grid.board.names.values() for part in (name.casefold(), f"{name.casefold()}'s")}
    is_his = bool(named & (HIS | rivals | names))
    if not is_his and not named & (MINE | own):
        return None
    cells = grid.held(own=not is_his)
    if not cells:
        return Pick(refusal=f"There is no {grid.mark(own=not is_his)} on the board yet.")
    return Pick(cells)


def number_of(word: str) -> int:
    """Return the number that a word is, 0 for none."""
    return int(word) if word.isdigit() and len(word) < 4 else _NUMBERS.get(word, 0)


def _placed(grid: Grid, words: Sequence[str]) -> Pick | None:
    """Return the squares of a row, a column, a number, a kind; None where the words say none of those."""
    rows: set[int] | None = None
    columns: set[int] | None = None
    middles, number, nth = 0, 0, 0
    kinds: list[Cells] = []
    is_whole_row = False
    skip = -1
    for at, word in enumerate(words):
        if at == skip:
            continue
        after = words[at + 1] if at + 1 < len(words) else ""
        value = number_of(word)
        if word in ROWS:
            rows = {grid.height - 1 if ROWS[word] else 0}
        elif word in COLUMNS:
            columns = {grid.width - 1 if COLUMNS[word] else 0}
        elif word == "last" and after in OF_ROWS | OF_COLUMNS:
            is_row = after in OF_ROWS
            rows, columns = ({grid.height - 1}, columns) if is_row else (rows, {grid.width - 1})
        elif word in MIDDLE and after in OF_ROWS:
            rows = {grid.height // 2}
        elif word in MIDDLE and after in OF_COLUMNS:
            columns = {grid.width // 2}
        elif word in MIDDLE:
            middles += 1
        elif word in OF_ROWS | OF_COLUMNS:
            is_whole_row = True
            if number_of(after) and after not in ORDINALS:
                skip = at + 1
                rows, columns = _counted(word, number_of(after), rows, columns)
        elif value and after in OF_ROWS | OF_COLUMNS:
            rows, columns = _counted(after, value, rows, columns)
        elif value and (word in ORDINALS or word.isdigit() or (at and words[at - 1] in {*SQUARES, "number", "#"})):
            is_filler = word == "1" and at > 0 and (is_where(words[at - 1]) or words[at - 1] in ("the", "that"))
            nth, number = (value, number) if word in ORDINALS else (nth, number if is_filler else value)
        elif word in CORNERS:
            kinds.append(grid.corners())
        elif word in EDGES and (word.startswith("edge") or not (rows or columns)):
            kinds.append(grid.edges())
    if max(number, nth) > len(grid.cells):
        return Pick(refusal=no_such_square(grid))
    if rows is None and columns is None and not middles and not kinds:
        return _counted_off(grid, number or nth) if number or nth else None
    if (rows and not rows <= {*range(grid.height)}) or (columns and not columns <= {*range(grid.width)}):
        return Pick(refusal=no_such_square(grid))
    if middles and rows is None and columns is None:
        rows, columns = {grid.height // 2}, {grid.width // 2}
    elif middles and columns is None:
        columns = {grid.width // 2}
    elif middles and rows is None:
        rows = {grid.height // 2}
    inside = frozenset(
        cell for cell in grid.cells if (rows is None or cell[0] in rows) and (columns is None or cell[1] in columns)
    )
    cells = inside.intersection(*kinds) or inside
    nth = len(cells) if is_whole_row and "last" in words[:2] and not set(words) & FREE else nth
    if nth and is_whole_row and len(cells) > 1:
        return (
            Pick(frozenset(sorted(cells)[nth - 1 : nth])) if nth <= len(cells) else Pick(refusal=no_such_square(grid))
        )
    if set(words) & FREE and cells & grid.free():
        cells &= grid.free()
    return Pick(cells) if cells else None


def _counted(
    word: str, number: int, rows: set[int] | None, columns: set[int] | None
) -> tuple[set[int] | None, set[int] | None]:
    return ({number - 1}, columns) if word in OF_ROWS else (rows, {number - 1})


def _counted_off(grid: Grid, number: int) -> Pick:
    cells = grid.numbered(number)
    return Pick(cells) if cells else Pick(refusal=no_such_square(grid))


def no_such_square(grid: Grid) -> str:
    """Return that there is no such square, and which there are."""
    first, last = grid.cells[0, 0].name, grid.cells[grid.height - 1, grid.width - 1].name
    return (
        f"There is no such square: the board has {NUMERALS.get(len(grid.cells), len(grid.cells))}, "
        f"{NUMERALS.get(grid.height, grid.height)} by {NUMERALS.get(grid.width, grid.width)}, from the {first} to the "
        f"{last}. Name one of those, or its row and column."
    )


NUMERALS = {number: word for word, number in _NUMBERS.items() if word not in ORDINALS and word.isalpha()}


def axis_of(word: str) -> str:
    """Return whether a word names a row, a column, the middle or a kind; empty for `row` and `column` themselves."""
    if word in ROWS or word in OF_ROWS:
        return "row" if word in ROWS else ""
    if word in COLUMNS or word in OF_COLUMNS:
        return "column" if word in COLUMNS else ""
    return "middle" if word in MIDDLE else "kind"


def leads_to_place(tokens: Sequence[str], at: int) -> bool:
    """Tell whether a word before one that says where belongs to it: `the second from`."""
    word = tokens[at]
    is_counted = word == "from" and at > 0 and bool(number_of(tokens[at - 1]))
    return word in FILL | SQUARES or bool(number_of(word)) or is_counted


# A board -> sentences about it.


def which_are_free(grid: Grid, cells: Cells | None = None) -> str:
    """Return the names of the squares that are free, or of some of them, in a sentence."""
    free = grid.free() if cells is None else cells
    if len(free) == len(grid.cells):
        names = listed([with_article(row[len(row) // 2].name) for row in grid.board.rows[:2]])
        return f"All {NUMERALS.get(len(free), len(free))} are free: {names.replace(' and ', ' or ')}, say."
    return f"Free {_are(grid.named(free))}."


def _are(names: Sequence[str]) -> str:
    return f"{'is' if len(names) == 1 else 'are'} {listed(names, limit=len(names) + 1)}"


def board_shown(grid: Grid) -> str:
    """Return who holds which squares, and which are free."""
    if len(grid.free()) == len(grid.cells):
        return f"All {NUMERALS.get(len(grid.cells), len(grid.cells))} squares are free."
    parts = []
    for own in (True, False):
        cells = grid.held(own=own)
        who = "You have" if own else f"{grid.other()} has"
        parts.append(f"{who} {listed(grid.named(cells), limit=len(cells) + 1)}." if cells else "")
    return " ".join([part for part in parts if part] + [which_are_free(grid)])


def threats(grid: Grid) -> str:
    """Return who is a square away from winning, in a sentence."""
    own, theirs = grid.thirds(own=True), grid.thirds(own=False)
    if own:
        return f"You are a square away from a row: {listed(grid.named(own))} would make it."
    if theirs:
        return f"{grid.other()} is a square away from a row: {listed(grid.named(theirs))} would make it."
    return "Nobody is ahead: no line has two marks of one side and a free square."


def holding(grid: Grid, square: Square) -> str:
    """Return who has a square, in a sentence."""
    name = capitalised(with_article(square.name))
    if not square.holder:
        return f"{name} is free."
    if square.holder == grid.board.own:
        return f"{name} is yours already."
    return f"{name} is taken: it is {grid.board.names.get(square.holder, grid.other())}'s."
