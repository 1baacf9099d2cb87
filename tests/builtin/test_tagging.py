"""A line is tagged with the acts that it means: where each begins, its kind, and which words name what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.builtin.parser.acts.kinds import kinds
from lorewright.builtin.words.tagging import Act, ActTagger, no_acts, tagged_kinds, tagger_with
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Adaptation, GuardedEmbedder, RememberingEmbedder, WordStates
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedders.minilm import MiniLM
from lorewright.rules.verbs import verbs

MINILM = MiniLM()
UNCHANGED = Adaptation("unchanged", {})
tag = ActTagger(MINILM.read_words)


def test_each_act_of_a_line_has_its_kind() -> None:
    acts = tag("I take the brass lantern, walk up to the attic and ask Marta whether she heard the storm")
    assert [act.kind for act in acts] == ["take", "go", "ask"]
    assert (acts[0].target, acts[2].person) == ("brass lantern", "Marta")
    assert acts[2].topic.endswith("she heard the storm")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("could you close the shutters before it rains", "request"),
        ("sorry about the mess i made", "apologise"),
        ("is it ok if I sit here?", "ask_permission"),
        ("wat am i suposed to do here", "goal"),
        ("undo that", "undo"),
        ("whats in teh drawer", "search"),
        ("Kira looks at the tall man by the stove.", "look"),
        ("two beers please, barkeep", "order"),
    ],
)
def test_ordinary_wordings_are_told_apart(line: str, kind: str) -> None:
    assert [act.kind for act in tag(line)] == [kind]


def test_a_sentence_and_a_stage_direction_end_an_act() -> None:
    acts = tag("*leans on the rail* Good evening, Mr. Lund. How long have you worked here?")
    assert [act.words for act in acts] == [
        "*leans on the rail*",
        "Good evening, Mr. Lund.",
        "How long have you worked here?",
    ]


def test_slips_of_the_hand_are_marked_as_odd() -> None:
    (act,) = tag("open the drawrs")
    assert act.odd == ("drawrs",)


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_cut_into_acts_that_stand_in_it_in_order(text: str) -> None:
    at = 0
    for act in tag(text):
        found = text.find(act.words, at)
        assert found >= at
        at = found + len(act.words)
        assert act.kind in kinds()
        assert 0 <= act.score <= 1


def test_every_kind_of_the_weights_can_be_read() -> None:
    by_words = {name for kind in kinds().values() for name in kind.turns}
    assert set(tagged_kinds()) <= set(kinds()) <= {*tagged_kinds(), *by_words}


def test_the_table_of_kinds_names_verbs_that_there_are() -> None:
    named = {name for kind in kinds().values() for name in (*kind.fits, *kind.then, kind.said) if name}
    assert named <= set(verbs())


def test_another_embedder_than_the_weights_hold_for_tags_nothing() -> None:
    assert tagger_with(None) is no_acts
    assert tagger_with(HashingEmbedder()) is no_acts


def test_an_embedder_that_fails_tags_nothing() -> None:
    def fail(text: str, adaptation: Adaptation) -> WordStates:
        raise EmbedderError("the weights are gone")

    assert ActTagger(fail)("take the lamp") == ()


def test_words_are_read_through_what_stands_before_an_embedder() -> None:
    guarded = RememberingEmbedder(GuardedEmbedder(lambda: MINILM, lambda: None))
    assert tagger_with(guarded)("take the lamp") == tag("take the lamp")
    with pytest.raises(EmbedderError, match="no states of words"):
        RememberingEmbedder(HashingEmbedder()).read_words("take the lamp", UNCHANGED)


def test_an_adapted_embedder_gives_other_states_and_leaves_its_vectors_as_they_were() -> None:
    text, name = "take the lamp, then go down to the cellar", "encoder.layer.5.output.dense.weight"
    before = MINILM.embed_query(text)
    plain = MINILM.read_words(text, UNCHANGED)
    mean = plain.states.mean(axis=0)
    assert np.allclose(mean / np.linalg.norm(mean), before, atol=1e-5)
    outer, inner = np.ones((384, 1), np.float32), np.ones((1, 1536), np.float32)
    changed = MINILM.read_words(text, Adaptation("changed", {name: (outer, inner)}))
    assert changed.offsets == plain.offsets
    assert not np.allclose(changed.states, plain.states)
    assert (MINILM.embed_query(text) == before).all()


def test_an_adaptation_for_other_matrices_is_an_error_that_says_so() -> None:
    pair = (np.ones((384, 1), np.float32), np.ones((1, 384), np.float32))
    with pytest.raises(EmbedderError, match="no matrix"):
        MINILM.read_words("take the lamp", Adaptation("wrong", {"no matrix": pair}))


def test_a_line_of_signs_has_no_words_and_a_letter_is_tagged_to_its_limit() -> None:
    assert tag("") == ()
    assert isinstance(tag("word " * 500)[0], Act)
