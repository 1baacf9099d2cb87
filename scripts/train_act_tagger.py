"""Train the tagger that finds the acts in what players type, and write its weights.

    .venv/bin/python scripts/train_act_tagger.py [--epochs 8] [--held-out 0.04] [--out FILE]
    .venv/bin/python scripts/train_act_tagger.py --onto FILE --share 0.2 --rate 0.5 --epochs 3 [--out FILE]

It needs torch (`make extras`), and takes about an hour on two processors. The lines have marks: `<kind>` begins an act,
and `{t:…}`, `{w:…}`, `{p:…}`, `{q:…}` stand around what it is done to, a second thing, the person addressed, and what
is said. The short ones (`act_lines.txt.gz` beside this script) were written for this, by several writers who had read
no story of this project and no line of its tests. The long ones (`long_act_lines.txt.gz`), of several acts and of all
registers, were written for openings of stories: some for this, some to judge how lines are understood; these judge
nothing any more. They are read twice an epoch. `--held-out` keeps a share of the lines from the training and says how
well they are read; 0 trains on all. More than half of the lines are read with slips of the hand, others each time.
The embedder's own weights stay as they are: products of small matrices are learned that are added to them (LoRA).
The second way goes on from weights that were made before, with a share of the short lines beside the long ones, at a
part of the learning rate.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from rich.console import Console
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import BertModel

from lorewright.builtin.words import tagging
from lorewright.index.embedders.minilm import MOST_TOKENS, WIDTH, model_folder

SHORT_LINES = Path(__file__).with_name("act_lines.txt.gz")
LONG_LINES = Path(__file__).with_name("long_act_lines.txt.gz")
# How often a long line is read in an epoch.
LONG_TIMES = 2
WEIGHTS = Path(tagging.__file__).with_name("act_tagger.npz")
ROLES = {"": 0, "t": 1, "w": 2, "p": 3, "q": 4}
HIDDEN, INNER, RANK = 192, 192, 16
# The share of lines that get slips of the hand.
SLIPPED = 0.55
BATCH = 32
# Batches of lines of about the same length are made of so many at a time.
SORTED_TOGETHER = 20 * BATCH
ENCODER_RATE, RATE = 1e-3, 1.5e-3

Learned = TypeVar("Learned")

_MARK = re.compile(r"<(\w+)>|\{([twpq]):|(\})")
_KEYS = {a: b for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for a, b in itertools.pairwise(row)}


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is learned: its word pieces; of each word the share that each piece has in it, how it looks, its
    act, its role and whether it begins an act; of each act its kind."""

    pieces: torch.Tensor
    shares: torch.Tensor
    looks: torch.Tensor
    acts: torch.Tensor
    begins: torch.Tensor
    roles: torch.Tensor
    kinds: torch.Tensor


def main() -> None:
    """Train, say how well held-out lines are read, write the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--held-out", type=float, default=0.04)
    options.add_argument("--onto", type=Path, help="weights to go on from")
    options.add_argument("--share", type=float, default=1.0, help="of the short lines that an epoch reads")
    options.add_argument("--rate", type=float, default=1.0, help="part of the learning rate")
    options.add_argument("--out", type=Path, default=WEIGHTS)
    chosen = options.parse_args()
    console = Console(stderr=True, soft_wrap=True)
    torch.manual_seed(0)
    marked = {"short": marked_lines(SHORT_LINES), "long": marked_lines(LONG_LINES)}
    kinds = sorted({kind for line in marked["short"] for kind, _, _ in _MARK.findall(line) if kind})
    reader, rng = LineReader(kinds), random.Random(0)
    held_out = {
        name: [reader.read(line) for line in lines if is_held_out(line, chosen.held_out)]
        for name, lines in marked.items()
    }
    short, long = ([line for line in lines if not is_held_out(line, chosen.held_out)] for lines in marked.values())
    kept = sum(map(len, held_out.values()))
    console.print(f"{len(short) + len(long):,} lines are learned, {kept:,} held out, {len(kinds)} kinds")
    part = int(len(short) * chosen.share)
    model = Tagger(len(kinds))
    if chosen.onto is not None:
        model.go_on_from(chosen.onto)
    encoder = [values for name, values in model.named_parameters() if name.startswith("encoder.")]
    rest = [values for name, values in model.named_parameters() if not name.startswith("encoder.")]
    groups = [
        {"params": [values for values in encoder if values.requires_grad], "lr": ENCODER_RATE * chosen.rate},
        {"params": rest, "lr": RATE * chosen.rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.02)
    rates = [ENCODER_RATE * chosen.rate, RATE * chosen.rate]
    steps = chosen.epochs * ((part + LONG_TIMES * len(long)) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps, pct_start=0.15)
    for epoch in range(chosen.epochs):
        model.train()
        losses = []
        learned = rng.sample(short, part) + LONG_TIMES * long
        lines = [reader.read(_as_typed(line, rng)) for line in learned]
        for batch in batches(lines, rng, lambda line: len(line.pieces)):
            loss = model.loss(batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        said = "".join(f"; {name}, {judge(model, lines)}" for name, lines in held_out.items() if lines)
        console.print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}{said}")
        np.savez(chosen.out, classes=np.array(kinds), **model.weights())


class Tagger(nn.Module):
    """The adapted encoder, and the layers that `tagging.py` computes."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.encoder = adapted_encoder()
        self.inp = nn.Linear(WIDTH + tagging.LOOKS, HIDDEN)
        self.near = nn.Linear((2 * tagging.REACH + 1) * HIDDEN, HIDDEN)
        self.b, self.r, self.att = nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, len(ROLES)), nn.Linear(HIDDEN, 1)
        self.k1, self.k2 = nn.Linear(3 * HIDDEN + WIDTH, INNER), nn.Linear(INNER, kinds)
        self.drop = nn.Dropout(0.2)

    def hidden(self, lines: Sequence[Line]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the hidden states of all words of the lines, one line after another, and the mean state of each
        line."""
        pieces = nn.utils.rnn.pad_sequence([line.pieces for line in lines], batch_first=True)
        is_piece = nn.utils.rnn.pad_sequence([torch.ones(len(line.pieces)) for line in lines], batch_first=True)
        states = self.encoder(input_ids=pieces, attention_mask=is_piece.long()).last_hidden_state
        means = (states * is_piece[..., None]).sum(1) / is_piece.sum(1, keepdim=True)
        looks = nn.utils.rnn.pad_sequence([line.looks for line in lines], batch_first=True)
        shares = torch.zeros(len(lines), looks.shape[1], pieces.shape[1])
        for row, line in zip(shares, lines, strict=True):
            row[: line.shares.shape[0], : line.shares.shape[1]] = line.shares
        is_word = nn.utils.rnn.pad_sequence([torch.ones(len(line.looks), 1) for line in lines], batch_first=True)
        own = functional.relu(self.inp(self.drop(torch.cat([shares @ states, looks], -1)))) * is_word
        padded = functional.pad(self.drop(own), (0, 0, tagging.REACH, tagging.REACH))
        near = torch.cat([padded[:, at : at + own.shape[1]] for at in range(2 * tagging.REACH + 1)], -1)
        hidden = functional.relu(self.near(near)) + own
        return hidden[is_word[..., 0].bool()], means

    def kinds(self, hidden: torch.Tensor, means: torch.Tensor, lines: Sequence[Line]) -> torch.Tensor:
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
        line_means = torch.repeat_interleave(means, torch.tensor(counts), 0)
        seen = torch.cat([mean, highest, hidden[is_first], line_means], 1)
        return self.k2(self.drop(functional.relu(self.k1(self.drop(seen)))))

    def loss(self, lines: Sequence[Line]) -> torch.Tensor:
        """Return the loss over where acts begin, the roles of words and the kinds of acts."""
        hidden, means = self.hidden(lines)
        is_inner = torch.cat([torch.arange(len(line.looks)) > 0 for line in lines])
        begins = functional.binary_cross_entropy_with_logits(
            self.b(self.drop(hidden))[is_inner, 0], torch.cat([line.begins for line in lines])[is_inner]
        )
        roles = functional.cross_entropy(self.r(self.drop(hidden)), torch.cat([line.roles for line in lines]))
        wanted = torch.cat([line.kinds for line in lines])
        return (
            2 * begins
            + roles
            + functional.cross_entropy(self.kinds(hidden, means, lines), wanted, label_smoothing=0.05)
        )

    def go_on_from(self, path: Path) -> None:
        """Take the weights of a file that `weights` filled."""
        with np.load(path) as stored:
            named = {
                re.sub(r"^(encoder\..+)\.weight\.(outer|inner)$", r"encoder.\1.\2", name): stored[name]
                for name in stored.files
                if name != "classes"
            }
        known = self.state_dict()
        known.update({name: torch.from_numpy(values.astype(np.float32)) for name, values in named.items()})
        self.load_state_dict(known)

    def weights(self) -> dict[str, np.ndarray]:
        """Return the arrays that `tagging.py` reads, in sixteen bits."""
        return learned_weights(self)


class Adapted(nn.Module):
    """A layer, with the product of two small matrices added to its own."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        self.inner = nn.Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5)
        self.outer = nn.Parameter(torch.zeros(layer.out_features, RANK))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Return what the layer gives with both."""
        return self.layer(given) + (given @ self.inner.T) @ self.outer.T


def adapted_encoder() -> BertModel:
    """Return the embedder's encoder, whose own weights stay, with an adaptation of each of its large matrices."""
    encoder = BertModel.from_pretrained(str(model_folder()), add_pooling_layer=False)
    encoder.requires_grad_(requires_grad=False)
    for name, module in list(encoder.named_modules()):
        if name.startswith("encoder.layer.") and isinstance(module, nn.Linear):
            owner, _, last = name.rpartition(".")
            setattr(encoder.get_submodule(owner), last, Adapted(module))
    return encoder


def learned_weights(model: nn.Module) -> dict[str, np.ndarray]:
    """Return what a model with an adapted `encoder` has learned, in sixteen bits: the encoder's matrices by the names
    that they have in its file."""
    found = {
        re.sub(r"^encoder\.(.+)\.(outer|inner)$", r"\1.weight.\2", name): values
        for name, values in model.state_dict().items()
        if not name.startswith("encoder.") or name.endswith((".outer", ".inner"))
    }
    return {name: values.detach().numpy().astype(np.float16) for name, values in found.items()}


class LineReader:
    """Reads marked lines as they are learned."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds
        self._tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def read(self, marked: str) -> Line:
        """Return a marked line as it is learned."""
        text, acts, roles = unmarked(marked)
        spans = tagging.word_spans(text)
        encoded = self._tokenizer.encode(text)
        at = np.array([max(number for number, (_, start) in enumerate(acts) if start <= first) for first, _ in spans])
        present = sorted(set(at.tolist()))
        numbered = np.searchsorted(present, at)
        shares = np.array([tagging.shares_of_pieces(span, encoded.offsets) for span in spans], np.float32)
        return Line(
            pieces=torch.tensor(encoded.ids),
            shares=torch.from_numpy(shares),
            looks=torch.from_numpy(np.array([tagging.look(text, *span) for span in spans])),
            acts=torch.from_numpy(numbered),
            begins=torch.from_numpy(np.concatenate([[0.0], numbered[1:] != numbered[:-1]]).astype(np.float32)),
            roles=torch.tensor([ROLES[roles[first]] for first, _ in spans]),
            kinds=torch.tensor([self._kinds.index(acts[number][0]) for number in present]),
        )


def marked_lines(path: Path) -> list[str]:
    """Return the lines of a file with their marks."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [line.strip() for line in stream if line.strip()]


def batches(learned: list[Learned], rng: random.Random, length: Callable[[Learned], int]) -> list[list[Learned]]:
    """Return batches in any order, each of what is about the same `length`."""
    rng.shuffle(learned)
    near = [
        text
        for start in range(0, len(learned), SORTED_TOGETHER)
        for text in sorted(learned[start : start + SORTED_TOGETHER], key=length)
    ]
    found = [near[start : start + BATCH] for start in range(0, len(near), BATCH)]
    rng.shuffle(found)
    return found


def judge(model: Tagger, lines: Sequence[Line]) -> str:
    """Return how many of the acts of held-out lines get their kind, and how many lines are cut right."""
    model.eval()
    right = acts = cut = named = 0
    with torch.no_grad():
        for line in lines:
            hidden, means = model.hidden([line])
            right += int((model.kinds(hidden, means, [line]).argmax(1) == line.kinds).sum())
            acts += len(line.kinds)
            cut += bool(((model.b(hidden)[1:, 0] > 0).float() == line.begins[1:]).all())
            named += bool((model.r(hidden).argmax(1) == line.roles).all())
    return (
        f"held out: {right / acts:.1%} of {acts:,} kinds; of {len(lines):,} lines {cut / len(lines):.1%} cut right and"
        f" {named / len(lines):.1%} with every role"
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


def _as_typed(marked: str, rng: random.Random) -> str:
    """Return a line, or a copy of it with slips of the hand that still has words."""
    if rng.random() >= SLIPPED:
        return marked
    slipped = with_slips(marked, rng)
    return slipped if tagging.word_spans(unmarked(slipped)[0]) else marked


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
