"""Train what tells whether something that a person knows answers a question, and write its weights.

    .venv/bin/python scripts/train_answers.py [--epochs 2] [--held-out 0.25] [--out FILE]

It needs torch (`make extras`), and takes about a quarter of an hour an epoch on two processors. The questions
(`answer_pairs.jsonl.gz` beside this script): 1,635 to the people of the packs that ship, some typed in plays, most
written for this by writers who had not read what the people know; 2,880 to 144 people who were invented for this with
what they know, in all genres, a near miss for every answer. Each has items beside it, labelled by hand: it answers the
question (2), is about the same and no answer (1), or is beside the point (0); and how strangely near item and question
are (`strangeness_of`; of invented people, among what the others of their file know).

`--held-out` keeps about that share of the people of packs, and half that share of the others, with all that is asked of
them, from the training, and says what would be told of theirs; 0 trains on all. A question loses words at random, each
time others. The embedder's own weights stay as they are: products of small matrices are learned that are added to them
(LoRA).

The weights that ship were made in two steps: two epochs without a quarter of the packs' people, to measure (see
`thoughts.md`) and to choose the least score; then one more at half the rate on all of them and on the last 960 of the
invented questions.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from lorewright.index.embedders.minilm import MOST_TOKENS, WIDTH, model_folder
from lorewright.scene_lore import fitting
from train_act_tagger import BATCH, adapted_encoder, batches, learned_weights

QUESTIONS = Path(__file__).with_name("answer_pairs.jsonl.gz")
WEIGHTS = Path(fitting.__file__).with_name("answers.npz")
HIDDEN, KINDS = 64, 3
ENCODER_RATE, RATE = 1e-3, 1e-3
# What answers is rarer than what does not.
LOSS_WEIGHTS = (1.0, 1.0, 1.5)
SMOOTHING, WORDS_LOST = 0.03, 0.1


@dataclass(slots=True)
class Pair:
    """A question and an item beside it: their text as it is read, how strangely near they are, and the label."""

    text: str
    near: tuple[float, float]
    fits: int
    score: float = 0.0


def main() -> None:
    """Train, say what would be told of held-out people, write the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epochs", type=int, default=2)
    options.add_argument("--held-out", type=float, default=0.25)
    options.add_argument("--out", type=Path, default=WEIGHTS)
    chosen = options.parse_args()
    console = Console(stderr=True, soft_wrap=True)
    torch.manual_seed(0)
    rng = random.Random(0)
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as stream:
        asked = [json.loads(line) for line in stream]
    is_kept = {row["person"]: is_held_out(row["person"], chosen.held_out) for row in asked}
    held_out = {
        "packs": [pairs_of(row) for row in asked if is_kept[row["person"]] and not _is_invented(row["person"])],
        "invented": [pairs_of(row) for row in asked if is_kept[row["person"]] and _is_invented(row["person"])],
    }
    learned = [pair for row in asked if not is_kept[row["person"]] for pair in pairs_of(row)]
    kept = sum(map(len, itertools.chain(*held_out.values())))
    console.print(f"{len(learned):,} pairs are learned, {kept:,} held out")
    model = Judge()
    encoder = [values for name, values in model.named_parameters() if name.startswith("encoder.")]
    groups = [
        {"params": [values for values in encoder if values.requires_grad], "lr": ENCODER_RATE},
        {"params": model.head.parameters(), "lr": RATE},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.05)
    steps = chosen.epochs * (len(learned) // BATCH + 2)
    rates = [ENCODER_RATE, RATE]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps, pct_start=0.06)
    for epoch in range(chosen.epochs):
        model.train()
        losses = []
        for batch in batches(learned, rng, lambda pair: len(pair.text)):
            wanted, weight = torch.tensor([pair.fits for pair in batch]), torch.tensor(LOSS_WEIGHTS)
            scores = model([_with_words_lost(pair, rng) for pair in batch])
            loss = functional.cross_entropy(scores, wanted, weight=weight, label_smoothing=SMOOTHING)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        said = "".join(f"; {name}, {judge(model, rows)}" for name, rows in held_out.items() if rows)
        console.print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}{said}")
        np.savez(chosen.out, **model.weights())


class Judge(nn.Module):
    """The adapted encoder, and the layers that `fitting.py` computes."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = adapted_encoder()
        inner, outer = nn.Linear(2 * WIDTH + 2, HIDDEN), nn.Linear(HIDDEN, KINDS)
        self.head = nn.Sequential(nn.Dropout(0.1), inner, nn.ReLU(), nn.Dropout(0.1), outer)
        self._tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.enable_padding()

    def forward(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """Return how likely each pair is of each kind, before the exponential."""
        encoded = self._tokenizer.encode_batch([pair.text for pair in pairs])
        pieces = torch.tensor([text.ids for text in encoded])
        is_piece = torch.tensor([text.attention_mask for text in encoded], dtype=torch.float)
        separator = self._tokenizer.token_to_id(fitting.SEPARATOR)
        is_item = is_piece * ((pieces == separator).cumsum(1) - (pieces == separator).long()).clamp(0, 1)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states = self.encoder(input_ids=pieces, attention_mask=is_piece.long()).last_hidden_state
        states = states.float()
        question, item = _mean(states, is_piece - is_item), _mean(states, is_item)
        near = torch.tensor([pair.near for pair in pairs]) / fitting.USUAL_NEARNESS - 1
        return self.head(torch.cat([question * item * fitting.PRODUCT_SCALE, states[:, 0], near], 1))

    def weights(self) -> dict[str, np.ndarray]:
        """Return the arrays that `fitting.py` reads, in sixteen bits."""
        return learned_weights(self)


def _mean(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    return (states * chosen[..., None]).sum(1) / chosen.sum(1, keepdim=True).clamp(min=1)


def pairs_of(row: dict[str, Any]) -> list[Pair]:
    """Return a labelled question's pairs."""
    return [
        Pair(fitting.beside(row["question"], item["told"]), (item["near"][0], item["near"][1]), item["fits"])
        for item in row["items"]
    ]


def is_held_out(person: str, share: float) -> bool:
    """Tell whether what is asked of a person is kept from the training: by a hash, so always the same people."""
    part = share / 2 if _is_invented(person) else share
    return int(hashlib.sha256(person.encode()).hexdigest(), 16) % 1000 < part * 1000


def _is_invented(person: str) -> bool:
    return person.startswith("invented:")


def _with_words_lost(pair: Pair, rng: random.Random) -> Pair:
    question, separator, told = pair.text.partition(f" {fitting.SEPARATOR} ")
    words = question.split()
    kept = [word for word in words if rng.random() >= WORDS_LOST] or words
    return replace(pair, text=f"{' '.join(kept)}{separator}{told}")


def judge(model: Judge, asked: Sequence[Sequence[Pair]]) -> str:
    """Return what would be told: the best item of each question, where it scores enough."""
    model.eval()
    told = Counter[str]()
    with torch.no_grad():
        for pairs in asked:
            for pair, kinds in zip(pairs, model(pairs).softmax(1), strict=True):
                pair.score = float(kinds[2])
            best = max(pairs, key=lambda pair: pair.score)
            if best.score >= fitting.LEAST_SCORE:
                told[("beside the point", "near", "right")[best.fits]] += 1
            else:
                told["silent wrongly" if any(pair.fits == KINDS - 1 for pair in pairs) else "silent rightly"] += 1
    return ", ".join(f"{count} {what}" for what, count in told.most_common())


if __name__ == "__main__":
    main()
