"""Train the tagger that finds the acts in what players type, and write its weights.

    .venv/bin/python scripts/train_act_tagger.py [--epochs 12] [--held-out 0.06] [--out FILE]

It needs torch (`make extras`). The lines (`act_lines.txt.gz` beside this script) were written for this, by several
writers who had read no story of this project and no line of its tests, with their marks: `<kind>` begins an act, and
`{t:…}`, `{w:…}`, `{p:…}`, `{q:…}` stand around what it is done to, a second thing, the person addressed, and what is
said. `--held-out` keeps a share of them from the training and says how well they are read; 0 trains on all.
Each line is read three times: as it is, and twice with slips of the hand. The embedder's own weights stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from torch import nn
from torch.nn import functional

from lorewright.builtin.parser import tagging
from lorewright.index.embedders.minilm import MiniLM

LINES = Path(__file__).with_name("act_lines.txt.gz")
WEIGHTS = Path(tagging.__file__).with_name("act_tagger.npz")
ROLES = {"": 0, "t": 1, "w": 2, "p": 3, "q": 4}
HIDDEN, INNER = 192, 192
COPIES = 3
BATCH = 32
RATE = 2e-3

_MARK = re.compile(r"<(\w+)>|\{([twpq]):|(\})")
_KEYS = {a: b for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for a, b in itertools.pairwise(row)}


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is learned: features of its words, its vector, and of each word its act, role and whether it begins
    an act; of each act its kind."""

    words: torch.Tensor
    vector: torch.Tensor
    acts: torch.Tensor
    begins: torch.Tensor
    roles: torch.Tensor
    kinds: torch.Tensor


def main() -> None:
    """Train, say how well held-out lines are read, write the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epochs", type=int, default=12)
    options.add_argument("--held-out", type=float, default=0.06)
    options.add_argument("--out", type=Path, default=WEIGHTS)
    chosen = options.parse_args()
    console = Console(stderr=True)
    torch.manual_seed(0)
    with gzip.open(LINES, "rt", encoding="utf-8") as stream:
        marked = [line.strip() for line in stream if line.strip()]
    kinds = sorted({kind for line in marked for kind, _, _ in _MARK.findall(line) if kind})
    reader, rng = MiniLM(), random.Random(0)
    learned: list[Line] = []
    held_out: list[Line] = []
    for line in marked:
        if is_held_out(line, chosen.held_out):
            held_out.append(read_line(reader, line, kinds))
        else:
            slipped = (with_slips(line, rng) for _ in range(COPIES - 1))
            copies = [line, *(copy for copy in slipped if tagging.word_spans(unmarked(copy)[0]))]
            learned += [read_line(reader, copy, kinds) for copy in copies]
    console.print(f"{len(learned):,} lines are learned, {len(held_out):,} held out, {len(kinds)} kinds")
    model = Tagger(len(learned[0].words[0]), len(kinds))
    optimiser = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.02)
    steps = chosen.epochs * (len(learned) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    for epoch in range(chosen.epochs):
        rng.shuffle(learned)
        model.train()
        losses = []
        for start in range(0, len(learned), BATCH):
            loss = model.loss(learned[start : start + BATCH])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        said = f"; {judge(model, held_out)}" if held_out else ""
        console.print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}{said}")
    weights = {name: array.detach().numpy().astype(np.float16) for name, array in model.state_dict().items()}
    np.savez(chosen.out, classes=np.array(kinds), **weights)


class Tagger(nn.Module):
    """The layers that `tagging.py` computes."""

    def __init__(self, width: int, kinds: int) -> None:
        super().__init__()
        self.inp = nn.Linear(width, HIDDEN)
        self.c1, self.c2 = nn.Linear(5 * HIDDEN, HIDDEN), nn.Linear(5 * HIDDEN, HIDDEN)
        self.b, self.r, self.att = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, len(ROLES)), nn.Linear(HIDDEN, 1)
        self.k1, self.k2 = nn.Linear(3 * HIDDEN + 384, INNER), nn.Linear(INNER, kinds)
        self.drop = nn.Dropout(0.3)

    def hidden(self, lines: Sequence[Line]) -> torch.Tensor:
        """Return the hidden states of all words of the lines, one line after another."""
        words = nn.utils.rnn.pad_sequence([line.words for line in lines], batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(line.words), 1) for line in lines], batch_first=True)
        hidden = functional.relu(self.inp(self.drop(words))) * mask
        for layer in (self.c1, self.c2):
            padded = functional.pad(self.drop(hidden), (0, 0, 2, 2))
            near = torch.cat([padded[:, at : at + hidden.shape[1]] for at in range(5)], -1)
            hidden = (functional.relu(layer(near)) + hidden) * mask
        return hidden[mask[..., 0].bool()]

    def kinds(self, hidden: torch.Tensor, lines: Sequence[Line]) -> torch.Tensor:
        """Return the scores of the kinds of all acts of the lines."""
        counts = [len(line.kinds) for line in lines]
        before = np.cumsum([0, *counts[:-1]])
        act = torch.cat([line.acts + int(first) for line, first in zip(lines, before, strict=True)])
        total = sum(counts)
        weight = self.att(hidden).exp()
        sums = torch.zeros(total, 1).index_add(0, act, weight)
        mean = torch.zeros(total, hidden.shape[1]).index_add(0, act, weight * hidden) / sums
        spread = act[:, None].expand_as(hidden)
        highest = torch.zeros(total, hidden.shape[1]).scatter_reduce(0, spread, hidden, "amax", include_self=False)
        is_first = torch.cat([torch.ones(1, dtype=torch.bool), act[1:] != act[:-1]])
        vectors = torch.cat([line.vector[None].expand(len(line.kinds), -1) for line in lines]) * tagging.LINE_WEIGHT
        seen = torch.cat([mean, highest, hidden[is_first], vectors], 1)
        return self.k2(self.drop(functional.relu(self.k1(self.drop(seen)))))

    def loss(self, lines: Sequence[Line]) -> torch.Tensor:
        """Return the loss over where acts begin, the roles of words and the kinds of acts."""
        hidden = self.hidden(lines)
        is_inner = torch.cat([torch.arange(len(line.words)) > 0 for line in lines])
        begins = functional.binary_cross_entropy_with_logits(
            self.b(self.drop(hidden))[is_inner, 0], torch.cat([line.begins for line in lines])[is_inner]
        )
        roles = functional.cross_entropy(self.r(self.drop(hidden)), torch.cat([line.roles for line in lines]))
        wanted = torch.cat([line.kinds for line in lines])
        return 2 * begins + roles + functional.cross_entropy(self.kinds(hidden, lines), wanted, label_smoothing=0.05)


def judge(model: Tagger, lines: Sequence[Line]) -> str:
    """Return how many of the acts of held-out lines get their kind, and how many lines are cut right."""
    model.eval()
    right = acts = cut = 0
    with torch.no_grad():
        for line in lines:
            hidden = model.hidden([line])
            right += int((model.kinds(hidden, [line]).argmax(1) == line.kinds).sum())
            acts += len(line.kinds)
            cut += bool(((model.b(hidden)[1:, 0] > 0).float() == line.begins[1:]).all())
    return f"held out: {right / acts:.1%} of {acts:,} kinds, {cut / len(lines):.1%} of {len(lines):,} lines cut right"


def read_line(reader: MiniLM, marked: str, kinds: Sequence[str]) -> Line:
    """Return a marked line as it is learned."""
    text, acts, roles = unmarked(marked)
    spans = tagging.word_spans(text)
    read = reader.read_words(text)
    at = np.array([max(number for number, (_, start) in enumerate(acts) if start <= first) for first, _ in spans])
    present = sorted(set(at.tolist()))
    numbered = np.searchsorted(present, at)
    return Line(
        words=torch.from_numpy(tagging.features(text, spans, read)),
        vector=torch.from_numpy(np.array(read.vector)),
        acts=torch.from_numpy(numbered),
        begins=torch.from_numpy(np.concatenate([[0.0], numbered[1:] != numbered[:-1]]).astype(np.float32)),
        roles=torch.tensor([ROLES[roles[first]] for first, _ in spans]),
        kinds=torch.tensor([kinds.index(acts[number][0]) for number in present]),
    )


def unmarked(marked: str) -> tuple[str, list[tuple[str, int]], list[str]]:
    """Return a line without its marks, its acts with where each begins, and the role of each character."""
    text, acts, roles = "", [], list[str]()
    role, done = "", 0
    for found in _MARK.finditer(marked):
        text += marked[done : found.start()]
        roles += [role] * (found.start() - done)
        done = found.end()
        if found[1]:
            acts.append((found[1], len(text)))
        else:
            role = found[2] or ""
    text += marked[done:]
    return text, acts, [*roles, *[role] * (len(marked) - done)]


def with_slips(marked: str, rng: random.Random) -> str:
    """Return a marked line as somebody types it who does not look: small letters, no signs, slips of the hand."""
    style = rng.random()
    return "".join(part if is_mark else _slipped(part, style, rng) for part, is_mark in _parts(marked) if part)


def _parts(marked: str) -> Iterator[tuple[str, bool]]:
    done = 0
    for found in _MARK.finditer(marked):
        yield marked[done : found.start()], False
        yield found[0], True
        done = found.end()
    yield marked[done:], False


def _slipped(part: str, style: float, rng: random.Random) -> str:
    if style < 0.5:
        part = part.lower()
    if style < 0.35:
        part = re.sub(r"[,.!?'’]", "", part)
    return re.sub(r"[A-Za-z]+", lambda found: _slip(found[0], rng) if rng.random() < 0.18 else found[0], part)


def _slip(word: str, rng: random.Random) -> str:
    """Return a word with two letters swapped, one left out, one doubled, or the key beside one."""
    if len(word) < 4:
        return word
    at, kind = rng.randrange(1, len(word) - 1), rng.random()
    if kind < 0.3:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind < 0.55:
        return word[:at] + word[at + 1 :]
    if kind < 0.75:
        return word[:at] + word[at] + word[at:]
    return word[:at] + _KEYS.get(word[at].lower(), word[at]) + word[at + 1 :]


def is_held_out(marked: str, share: float) -> bool:
    """Tell whether a line is kept from the training; the same lines each time."""
    return int(hashlib.sha256(marked.encode()).hexdigest(), 16) % 1000 < share * 1000


if __name__ == "__main__":
    main()
