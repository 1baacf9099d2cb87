"""Every reranker that can be had here keeps the protocol; a cross-encoder is made on the spot, with weights by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.cross_encoder import CrossEncoderReranker
from lorewright.index.reranker import OverlapReranker, Reranker
from lorewright.index.reranker_choice import KEYS, open_reranker

WORDS = ("the", "toll", "of", "ferry", "is", "one", "copper", "night", "bread", "dear")


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model's folder."""
    pytest.importorskip("sentence_transformers")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder = tmp_path_factory.mktemp("cross") / "tiny"
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizer(str(vocabulary)).save_pretrained(folder)
    return folder


@pytest.fixture(params=["overlap", pytest.param("st", marks=pytest.mark.campaign)])
def reranker(request: pytest.FixtureRequest) -> Reranker:
    if request.param == "overlap":
        return OverlapReranker()
    return CrossEncoderReranker(str(request.getfixturevalue("cross_encoder")))


def test_there_is_a_score_for_each_text_and_the_same_again(reranker: Reranker) -> None:
    texts = ["the toll is one copper", "bread is dear", "", "bread is dear"]
    scores = reranker.scores("the toll of the ferry", texts)
    assert len(scores) == 4 and scores[1] == scores[3]
    assert reranker.scores("the toll of the ferry", texts) == scores


def test_a_text_scores_the_same_in_any_company(reranker: Reranker) -> None:
    alone = reranker.scores("the toll", ["bread is dear"])
    assert reranker.scores("the toll", ["bread is dear", "the toll of the ferry is one copper " * 4])[:1] == alone


def test_no_texts_have_no_scores(reranker: Reranker) -> None:
    assert reranker.scores("the toll", []) == []


def test_a_lone_surrogate_is_no_reason_to_fail(reranker: Reranker) -> None:
    assert len(reranker.scores("the \ud800 toll", ["a \udfff ferry"])) == 1


def test_more_words_of_the_question_answer_it_better() -> None:
    scores = OverlapReranker().scores("toll of the ferry", ["the toll of the ferry", "the ferry", "bread"])
    assert scores == sorted(scores, reverse=True) and scores[0] == 1.0 and scores[2] == 0.0


@pytest.mark.parametrize("key", ["cross", "overlap/x", "none/x", "st", "st/", "st/ "])
def test_an_unknown_key_names_those_that_there_are(key: str) -> None:
    with pytest.raises(SettingsError) as problem:
        open_reranker(key)
    assert ", ".join(KEYS) in (problem.value.hint or "")


def test_nothing_is_loaded_before_the_first_question() -> None:
    assert open_reranker("none") is None
    assert isinstance(open_reranker("overlap"), OverlapReranker)
    assert isinstance(open_reranker("st/there/is/none"), CrossEncoderReranker)


@pytest.mark.campaign
def test_a_model_that_is_not_there_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    reranker = open_reranker("st/nobody/has-this-model")
    assert reranker is not None
    with pytest.raises(EmbedderError) as problem:
        reranker.scores("a", ["b"])
    assert problem.value.hint
