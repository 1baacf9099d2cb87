"""A line that is typed over a board -> the move that it is, a question which square is meant, or why it is none.

What is clear from the board is played, what is not is asked back, and nothing else of a line becomes a move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from lorewright.builtin.parser.acts.kinds import Kind, is_said, kinds
from lorewright.builtin.parser.outputs import MAX_ACTIONS
from lorewright.builtin.parser.readings import (
    MAX_LINES,
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    excerpt,
    not_caught,
    only_person,
    posed,
)
from lorewright.builtin.parser.rewordings import with_deed
from lorewright.builtin.parser.speech import put_to, read_remark
from lorewright.builtin.words.asides import has_words, subjects_in
from lorewright.builtin.words.board import (
    BETWEEN,
    FILL,
    HIS,
    LINES,
    ORDINALS,
    PIECES,
    PLACES,
    REFERRING,
    SQUARES,
    Cells,
    Grid,
    Pick,
    axis_of,
    board_shown,
    grid_of,
    holding,
    is_where,
    leads_to_place,
    no_such_square,
    number_of,
    own_part,
    pattern_for,
    relations,
    threats,
    tokens_of,
    where,
    which_are_free,
    words_for,
)
from lorewright.builtin.words.clauses import words_of
from lorewright.builtin.words.joints import is_quoted
from lorewright.builtin.words.noun_phrases import PhraseMatch
from lorewright.builtin.words.tagging import Act
from lorewright.values.readings import Aside, Unclear
from lorewright.values.scope import Board

_ALGEBRA = re.compile(r"\b([a-h])\s?(\d)\b")
_PAIR = re.compile(r"\br(?:ow)?\s?(\d+)\s?[,/]?\s?c(?:ol(?:umn)?)?\s?(\d+)\b|\(?\b(\d)\s?[,/;:]\s?(\d)\b\)?")


# Parts of a line -> picks.


def picks_in(grid: Grid, text: str, *, is_said: bool = False, is_alone: bool = False) -> list[Pick]:
    """Return what a part of a line means on the board, in order. `is_said`: it is clearly words to somebody; only what
    says that a square is to be marked is a move then. `is_alone`: it is the whole line."""
    text = own_part(text)
    tokens = tokens_of(text)
    said = set(tokens)
    if not said:
        return []
    if (later := pattern_for("later").search(text)) is not None and later.start() > 0:
        return picks_in(grid, text[: later.start()], is_said=is_said, is_alone=is_alone)
    own = {word for who, words in grid.board.marks.items() if who == grid.board.own for word in words}
    marks = bool((said - ({"chalk"} if pattern_for("chalk").search(text) else set())) & (words_for("marking") | own))
    is_question = _asks(text, tokens)
    if said & PIECES:
        return []
    is_many = pattern_for("several").search(" ".join(tokens)) is not None
    if is_many and marks and not is_question and not said & words_for("denying"):
        return [Pick(is_many=True)]
    if is_question or (
        said & words_for("looking") and not said & (own | {"put", "draw", "mark", "place", "draws", "marks"})
    ):
        return []
    if (pair := _by_coordinates(grid, text, tokens, marks=marks)) is not None:
        return [pair]
    if (not is_said or marks) and (special := _special(grid, text)) is not None:
        return [special]
    found = list(_picks(grid, tokens, own, marks=marks, is_said=is_said, is_alone=is_alone))
    # A mark without a square may be anywhere.
    return found or ([Pick(grid.free())] if said & own and said & words_for("marking") - own else [])


def _asks(text: str, tokens: Sequence[str]) -> bool:
    is_wish = pattern_for("wishing").match(text.strip(" *\"'.,")) is not None
    return not is_wish and (tokens[0] in words_for("asking") or text.rstrip(" *\"'”").endswith("?"))


def _by_coordinates(grid: Grid, text: str, tokens: Sequence[str], *, marks: bool) -> Pick | None:
    plain = text.casefold()
    rest = (
        {word for word in tokens if word.isalpha() and len(word) > 1}
        - words_for("leads")
        - words_for("marking")
        - SQUARES
    )
    pair = _PAIR.search(plain)
    if pair is not None and (pair[1] or not rest):
        row, column = (int(number) - 1 for number in (pair[1] or pair[3], pair[2] or pair[4]))
        cells = frozenset(((row, column),) if pair[1] else ((row, column), (column, row)))
        inside = cells & frozenset(grid.cells)
        return Pick(inside) if inside else Pick(refusal=no_such_square(grid))
    found = _ALGEBRA.search(plain)
    if found is None or (rest and not marks):
        return None
    column, row = ord(found[1]) - ord("a"), int(found[2]) - 1
    inside = frozenset(((row, column), (grid.height - 1 - row, column), (column, row))) & frozenset(grid.cells)
    return Pick(inside) if inside else Pick(refusal=no_such_square(grid))


def _special(grid: Grid, text: str) -> Pick | None:
    """Return the squares that stand in somebody's way, or win, or any at all."""
    names = "|".join(re.escape(name) for who, name in grid.board.names.items() if who != grid.board.own)
    text = re.sub(rf"\b(?:{names})('s)?\b", lambda found: "his" if found[1] else "him", text) if names else text
    theirs = [word for who, words in grid.board.marks.items() if who != grid.board.own for word in words]
    if theirs and re.search(rf"\b(?:put|draw|place|mark|make|add)s? (?:a|an|his) (?:{'|'.join(theirs)})\b", text, re.I):
        return Pick(refusal=f"Your mark is the {grid.mark(own=True)}. Which square shall have it?")
    if pattern_for("shapes").search(text):
        return Pick(refusal=f"Your mark is the {grid.mark(own=True)}, and no other counts. Which square shall have it?")
    if pattern_for("taken").search(text):
        return Pick(refusal=f"A square that is marked stays so, whoever has it. {which_are_free(grid)}")
    if pattern_for("blocking").search(text):
        cells = grid.thirds(own=False)
        none = f"There is nothing to stop: {grid.other()} has no line of two marks and a free square."
        return Pick(cells) if cells else Pick(refusal=f"{none} {which_are_free(grid)}")
    if pattern_for("winning").search(text):
        cells = grid.thirds(own=True)
        none = "No square wins yet: no line has two of your marks and a free square."
        return Pick(cells) if cells else Pick(refusal=f"{none} {which_are_free(grid)}")
    if pattern_for("any").search(text) and not any(is_where(word) for word in tokens_of(text)):
        return Pick(grid.free())
    return None


def _picks(
    grid: Grid, tokens: list[str], own: set[str], *, marks: bool, is_said: bool, is_alone: bool
) -> Iterator[Pick]:
    at = 0
    relating = {word for phrase, _ in relations() for word in phrase.split()} | {"diagonally"}
    rivals = {word for who, words in grid.board.marks.items() if who != grid.board.own for word in words}
    names = {part for name in grid.board.names.values() for part in (name.casefold(), f"{name.casefold()}'s")}
    while at < len(tokens):
        if not (_starts(tokens, at) or tokens[at] in relating - FILL - {"from", "of", "to", "top", "left", "right"}):
            at += 1
            continue
        start = at
        while start > 0 and tokens[start - 1] != "," and leads_to_place(tokens, start - 1):
            start -= 1
        end, is_related = start, False
        while end < len(tokens):
            word = tokens[end]
            is_related = is_related or any(
                " ".join(tokens[end:]).startswith(f"{phrase} ") or " ".join(tokens[end:]) == phrase
                for phrase, _ in relations()
            )
            is_mark = is_related and word in REFERRING | own | rivals | names
            joins = word == "and" and "between" in tokens[start:end]
            is_place = is_where(word) or word in BETWEEN or bool(number_of(word))
            if not (is_place or word in relating or is_mark or joins):
                break
            if word == "," and not _goes_on(tokens, start, end):
                break
            end += 1
        run = tokens[start:end]
        while run and run[-1] in FILL - {"one", "ones"}:
            run = run[:-1]
        found = where(grid, run)
        before, after = tokens[:start], tokens[end:]
        if found is not None and _is_meant(run, before, after, own, marks=marks, is_said=is_said, is_alone=is_alone):
            yield Pick(
                found.cells,
                is_ruled_out=bool(set(before[-3:]) & words_for("doubting")) and not found.refusal,
                refusal=found.refusal,
            )
        at = max(end, at + 1)


def _starts(tokens: Sequence[str], at: int) -> bool:
    word = tokens[at]
    if is_where(word):
        return word not in ("up", "down")
    beside = {*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2]}
    is_nth = word in ORDINALS and at + 1 < len(tokens) and tokens[at + 1] == "one"
    is_numbered = is_nth or (bool(number_of(word)) and bool(beside & (SQUARES | {"number", "#"})))
    return is_numbered or (
        word.isdigit() and (len(tokens) == 1 or bool(beside & ({"in", "on", "at"} | words_for("marking"))))
    )


def _goes_on(tokens: Sequence[str], start: int, comma: int) -> bool:
    """Tell whether what stands behind a comma goes on with what is before it: `bottom row, the one in the middle`,
    `at the bottom, in the middle`."""
    before, after = tokens[start:comma], []
    for word in tokens[comma + 1 :]:
        if word == "i":
            return False
        if word == "," or not (is_where(word) or word in FILL | SQUARES or number_of(word)):
            break
        after.append(word)
    sides = {axis_of(word) for word in before if is_where(word)}
    first = sides - {"kind"} if sides & {"row", "column"} else sides
    second = {axis_of(word) for word in after if is_where(word)}
    is_row = bool(set(before) & LINES) or tokens[comma + 1 : comma + 2] in (["at"], ["in"], ["on"])
    is_row = is_row or (bool(first) and second == {"middle"} and tokens[comma + 1 : comma + 3] == ["the", "one"])
    return bool(second) and (
        first == {"kind"} or (is_row and not first & second - {"", "middle"} and len(first - {""}) < 2)
    )


def _is_meant(
    run: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    own: set[str],
    *,
    marks: bool,
    is_said: bool,
    is_alone: bool,
) -> bool:
    """Tell whether words that say where are a square that is picked, and no `left hand`, `right now`, `my corner`."""
    where = [word for word in run if is_where(word)]
    others = {word for word in (*before, *after) if is_where(word)} | SQUARES
    rest = (set(before) | set(after)) - others - words_for("leads") - FILL - words_for("doubting") - {"one", "row", ","}
    if before and before[-1] in HIS | {"my", "her", "its"} and len(where) < 2:
        return False
    if (after and after[0] in words_for("no_square")) or (where == ["right"] and not marks and not is_alone):
        return False
    if not rest:
        return True
    if marks and (len(where) > 1 or set(run) & PLACES or set(before) & words_for("marking") | set(before) & own):
        return True
    if is_said:
        return False
    axes = {axis_of(word) for word in where} - {""}
    return len(axes) > 1 or bool(set(run) & (SQUARES | LINES)) or (is_alone and "corner" in run)


def with_move(
    ctx: ParseContext, board: Board, text: str, acts: Sequence[Act], readings: Sequence[Reading]
) -> list[Reading]:
    """Return the readings of a line that is typed over a board: with the one move that it is, or a question which
    square is meant, or why it is no move; with what the ruleset answers to words about the game, and with what those
    who are here have answers to as said to them. No other reading marks a square."""
    parts = [(act.words, _is_talk(board, act)) for act in acts] or [(text, False)]
    grid, picks, corrected = _picks_of(grid_of(board), parts)
    picks = [(at, pick) for at, pick in picks if not is_quoted(parts[at][0], text)] or picks
    kept = [reading for reading in readings if not _marks(ctx, grid, reading)]
    # Who marks a square and calls it a win has not won by that.
    kept = [each for each in kept if not (picks and set() < set(tokens_of(each.words)) <= words_for("boasting"))]
    if not acts and picks:
        kept = [reading for reading in kept if reading.actions and not picks_in(grid, reading.words)]
    instead: dict[int, Reading | None] = dict.fromkeys({at for at, _ in picks} | corrected)
    is_move = False
    if picks:
        at, reading = _come_to(ctx, grid, picks, text)
        instead[at] = replace(reading, words=parts[at][0][:MAX_WORDS])
        is_move = bool(reading.actions) or reading.unclear is not None
        if reading.aside is not None:
            vain = words_for("marking") | words_for("pointing")
            kept = [each for each in kept if not set(tokens_of(each.words)) <= vain]
    gone = [parts[at][0] for at in instead]
    kept = [_without(ctx, reading, gone) for reading in kept]
    if is_move:
        # What is unclear beside a move is not asked.
        kept = [reading for reading in kept if reading.unclear is None]
    found: list[Reading] = []
    for at, (words, _) in enumerate(parts):
        own = [reading for reading in kept if _is_of(reading, words) or len(acts) == 1]
        kept = [reading for reading in kept if not any(reading is each for each in own)]
        if at not in instead:
            other = _answered(ctx, board, words, acts[at] if acts else None, own, is_move=is_move)
            found += own if other is None else [other]
        elif (reading_here := instead[at]) is not None:
            found.append(reading_here)
    return (_within(found, instead) + kept) or [not_caught(ctx, text)]


def _is_talk(board: Board, act: Act) -> bool:
    """Tell whether an act is clearly words to somebody: likely ones are, where somebody has an answer to them."""
    least = _SAID if any(has_words(wanted, act.words) for wanted in board.heard) else _CLEARLY
    return is_said(act) and (act.score >= least or pattern_for("put").match(act.words) is not None)


def _without(ctx: ParseContext, reading: Reading, gone: Sequence[str]) -> Reading:
    """Return words that were read together without those of them that are read as something else."""
    rest = reading.words
    for words in gone:
        rest = rest.replace(words, " ") if words != reading.words else rest
    rest = " ".join(rest.split()).strip(" .,")
    if not rest or rest == reading.words.strip(" .,") or len(reading.actions) != 1:
        return reading
    said = read_remark(ctx, rest, None, words_of(rest))
    return reading if said is None else replace(said, words=rest)


def _marks(ctx: ParseContext, grid: Grid, reading: Reading) -> bool:
    """Tell whether a reading marks a square."""
    squares = {square.id for square in grid.cells.values()}
    verb = ctx.verbs[grid.board.verb]
    return any(action.type == verb and action.target_id in squares for action in reading.actions)


def _within(readings: list[Reading], moves: Mapping[int, Reading | None]) -> list[Reading]:
    """Return readings without the first of those before the move, where together they are more than a turn has."""
    move = next((reading for reading in moves.values() if reading is not None and reading.actions), None)
    spares = [reading for reading in readings if reading is not move and reading.actions] if move is not None else []
    while spares and sum(len(reading.actions) for reading in readings) > MAX_ACTIONS:
        spare = spares.pop(0)
        readings = [reading for reading in readings if reading is not spare]
    return readings


def _is_of(reading: Reading, words: str) -> bool:
    said, part = (tokens_of(each) for each in (reading.words, words))
    return bool(said) and bool(part) and (set(said) <= set(part) or said[: len(part)] == part)


def _answered(
    ctx: ParseContext, board: Board, words: str, act: Act | None, own: Sequence[Reading], *, is_move: bool
) -> Reading | None:
    """Return what the ruleset answers to words about the game; else what somebody here has an answer to as said to
    them, where it was taken for a question to the program, or for a deed that nothing comes of."""
    kind = kinds().get(act.kind, Kind()) if act is not None else Kind()
    is_heard = only_person(ctx) is not None and any(has_words(wanted, words) for wanted in board.heard)
    is_speech = act is not None and is_said(act) and act.score >= _SAID
    answer = "" if is_speech and is_heard else answer_of(board, words)
    if answer and is_move and (_shows(board, words) or any(has_words(wanted, words) for wanted in board.preparing)):
        # What one does before a move is told as that: how the board was is seen no more.
        return _deed_alone(ctx, words)
    if answer:
        return told(words, answer)
    here = {person.id for person in ctx.nouns.people}
    is_read = any(action.target_id in here for reading in own for action in reading.actions)
    is_read = is_read and bool(kind.fits or kind.said or kind.aside) and not (kind.said and kind.lines and is_heard)
    is_vain = bool(own) and all(a.metadata.get("detail_is") == "absent" for each in own for a in each.actions)
    is_lost = is_vain or (bool(kind.aside) or not kind.fits) if not kind.said else not is_read and is_speech
    if not is_heard or is_read or not (is_lost or not any(reading.actions for reading in own)):
        return None
    is_question = words.rstrip(" *\"'”").endswith("?")
    said = (put_to if is_question else read_remark)(ctx, words, None, words_of(words.rstrip(" ?")))
    return None if said is None else replace(said, words=words)


def _deed_alone(ctx: ParseContext, words: str) -> Reading | None:
    """Return a deed that changes nothing, in the player's words."""
    if (made := posed(ctx, words.strip(" *.,!"))) is None:
        return None
    formed = (act.model_copy(update={"metadata": {**act.metadata, "form": act.type}}) for act in made.actions)
    return replace(with_deed(replace(made, actions=tuple(formed)), words, ()), words=words)


# From so much on words are said to somebody, and from so much on clearly.
_SAID, _CLEARLY = 0.3, 0.6


def _picks_of(grid: Grid, parts: Sequence[tuple[str, bool]]) -> tuple[Grid, list[tuple[int, Pick]], set[int]]:
    """Return what the parts of a line mean on the board, each with its place, and the places of what only corrects."""
    found: list[tuple[int, Pick]] = []
    corrects, correcting = False, set()
    for at, (text, is_speech) in enumerate(parts):
        for piece in _pieces(text):
            is_correction = bool(pattern_for("correcting").fullmatch(piece.strip(" ,.;!?*\"'"))) and bool(found)
            corrects = corrects or is_correction
            if is_correction:
                correcting.add(at)
            if found and pattern_for("later").search(piece):
                # What is to be done after the next turn is no move of this one.
                return grid, found, correcting
            picks = picks_in(grid, piece, is_said=is_speech, is_alone=len(parts) == 1)
            if not picks and grid.last and pattern_for("there").search(piece):
                picks = [Pick(grid.last)]
            if picks and corrects:
                correcting |= {each for each, _ in found}
                found, corrects = [(each, pick) for each, pick in found if pick.is_ruled_out], False
            found += [(at, pick) for pick in picks]
            grid = replace(grid, last=next((pick.cells for pick in picks if pick.cells), _spoken_of(grid, piece)))
    if not any(pick.cells for _, pick in found):
        correcting = set()
    return grid, found, correcting


def _pieces(text: str) -> Iterator[str]:
    """Yield a part of a line in sentences, and words that correct what was said before them apart."""
    for sentence in re.split(r"(?<=[.;!?])\s+|\s+[-–—]+\s+", text):
        for piece in re.split(rf"({pattern_for('correcting').pattern})", sentence, flags=re.IGNORECASE):
            if piece and piece.strip(" ,.;!?*\"'"):
                yield piece.strip()


def _spoken_of(grid: Grid, text: str) -> Cells:
    """Return the squares that words name, whatever they say of them; where they name none, those before."""
    named = [
        pick for pick in _picks(grid, tokens_of(text), set(), marks=True, is_said=False, is_alone=False) if pick.cells
    ]
    return named[0].cells if len(named) == 1 else grid.last


def _come_to(ctx: ParseContext, grid: Grid, found: Sequence[tuple[int, Pick]], words: str) -> tuple[int, Reading]:
    """Return what the picks of a line come to, and the place of the part that it is in."""
    out = frozenset(cell for _, pick in found if pick.is_ruled_out for cell in pick.cells)
    picks = [(at, pick) for at, pick in found if not pick.is_ruled_out]
    if not picks:
        return found[0][0], _which(grid, words, grid.free() - out)
    if (many := next((at for at, pick in picks if pick.is_many), None)) is not None:
        return many, told(words, _one_at_a_time(grid))
    if (refused := next(((at, pick) for at, pick in picks if pick.refusal), None)) is not None:
        return refused[0], told(words, refused[1].refusal)
    at, cells = picks[0][0], picks[0][1].cells - out or picks[0][1].cells
    for later, pick in picks[1:]:
        both = cells & pick.cells
        if not both:
            if pattern_for("otherwise").search(words):
                # What is wanted only where the first is taken.
                cells = cells & grid.free() or pick.cells
                continue
            either = " or " in f" {words.casefold()} "
            return at, _which(grid, words, cells | pick.cells) if either else told(words, _one_at_a_time(grid))
        at, cells = later if len(both) < len(cells) else at, both
    if len(cells) > 1:
        cells = cells & grid.free() or cells
    if len(cells) > 1:
        return at, _which(grid, words, cells)
    square = grid.cells[next(iter(cells))]
    thing = next(thing for thing in ctx.nouns.things if thing.id == square.id)
    verb = grid.board.verb
    return at, acting(ctx, ctx.verbs[verb], f"{verb} {square.name}", target=PhraseMatch(thing, square.name, 1.0))


def _which(grid: Grid, words: str, cells: Cells) -> Reading:
    """Return the question which of several squares is meant, by the names of those that are free."""
    free = cells & grid.free()
    if not free:
        return told(words, f"None of those is free. {which_are_free(grid)}")
    names = grid.named(free)
    if len(names) > MAX_LINES:
        return told(words, f"Which square shall it be? {which_are_free(grid, free)}")
    numbered = ", ".join(f"{number} {name}" for number, name in enumerate(names, start=1))
    lines = tuple(f"{grid.board.verb} {name}" for name in names)
    unclear = Unclear(words=words[:MAX_WORDS], question=f"Which square do you mean: {numbered}?", lines=lines)
    return Reading(intent=f"unclear: {excerpt(words)}", confidence=0.3, unclear=unclear)


def _one_at_a_time(grid: Grid) -> str:
    return (
        f"One {grid.mark(own=True)} at a time: you mark one square, and then it is the turn of {grid.other()}. "
        f"Nothing is marked yet; which one shall it be?"
    )


def told(words: str, answer: str) -> Reading:
    """Return an answer that the game itself gives, in these words."""
    return Reading(intent="aside: told", aside=Aside(kind="told", words=answer), words=words[:MAX_WORDS])


def _shows(board: Board, words: str) -> bool:
    """Tell whether the answer to words shows the board as it stands."""
    return "{" in next((say for wanted, say in board.answers if has_words(wanted, words)), "")


def answer_of(board: Board, words: str) -> str:
    """Return what the ruleset answers to words about the game; empty where it has no answer."""
    grid = grid_of(board)
    slots: Mapping[str, Callable[[], str]] = {
        "free": lambda: which_are_free(grid),
        "shown": lambda: board_shown(grid),
        "threats": lambda: threats(grid),
        "taken": lambda: _taken(grid, words),
    }
    for wanted, say in board.answers:
        if has_words(wanted, words):
            said = re.sub(r"\{(\w+)\}", lambda found: slots[found[1]]() if found[1] in slots else found[0], say)
            if said:
                return f"{said} /hint gives a nudge." if "hint" in subjects_in(words, "questions") else said
    return ""


def _taken(grid: Grid, words: str) -> str:
    found = where(grid, [word for word in tokens_of(words) if is_where(word) or word in FILL | SQUARES])
    if found is None or len(found.cells) != 1:
        return ""
    return holding(grid, grid.cells[next(iter(found.cells))])
