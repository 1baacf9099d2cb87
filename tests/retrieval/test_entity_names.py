"""Names, aliases and file names stand for IDs while they are unique; what is hidden has no name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.retrieval.entity_names import NamedEntities, name_by_ids
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView
from support.pack_builder import opened_packs

Packs = tuple[Generation, ...]


def note(name: str, *, front: str = "type: npc") -> str:
    return f"---\n{front}\n---\n# {name}\n\n{name} is here.\n"


COAST = {
    "locations/tavern.md": note("The Low House", front="id: locations-tavern\ntype: location"),
    "npcs/ilse.md": note("Ilse Coil", front="id: keeper\ntype: npc\naliases: [the Widow, Mara]"),
    "npcs/mara.md": note("Mara Venn", front="id: mara\ntype: npc"),
    "npcs/Anna Loaf (baker).md": note("Anna Loaf (baker)", front="id: npcs-anna-loaf-baker\ntype: npc"),
    "npcs/Jon Reed (smith).md": note("Jon Reed (smith)", front="id: npcs-jon-reed-smith\ntype: npc"),
    "npcs/Jon Reed (ferryman).md": note("Jon Reed (ferryman)", front="id: npcs-jon-reed-ferryman\ntype: npc"),
    "npcs/ghost.md": note("Mordecai", front="id: npcs-ghost\ntype: npc\nvisibility: gm\naliases: [Basilisk]"),
    "items/Basilisk Egg.md": note("A green stone", front="id: stone\ntype: item"),
}
HILLS = {
    "npcs/widow.md": note("The Widow", front="id: old_widow\ntype: npc"),
    "npcs/mara.md": note("Mara of the Hills", front="id: mara\ntype: npc"),
}


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    with opened_packs(tmp_path_factory.mktemp("coast"), {"coast": COAST}) as generations:
        yield generations


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    with opened_packs(tmp_path_factory.mktemp("both"), {"coast": COAST, "hills": HILLS}) as generations:
        yield generations


def names(packs: Packs, viewer: str = "gm") -> NamedEntities:
    return NamedEntities.of(LoreView(packs, viewer=viewer))


def refusal(packs: Packs, written: str, viewer: str = "gm") -> str:
    with pytest.raises(NotFound) as refused:
        names(packs, viewer).find(written)
    return f"{refused.value.message} ({refused.value.hint})"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("keeper", "keeper"),
        ("coast:keeper", "keeper"),
        ("Ilse Coil", "keeper"),
        ("ilse coil", "keeper"),
        ("ilse-coil", "keeper"),
        ("the widow", "keeper"),
        ("ilse", "keeper"),
        ("tavern", "locations-tavern"),
        ("the low house", "locations-tavern"),
        ("coast:The Low House", "locations-tavern"),
        ("Anna Loaf (baker)", "npcs-anna-loaf-baker"),
        ("anna loaf", "npcs-anna-loaf-baker"),
        ("Ilse Coil (the keeper)", "keeper"),
    ],
)
def test_an_id_a_name_an_alias_and_a_file_name_mean_the_same(coast: Packs, written: str, meant: str) -> None:
    assert names(coast).find(written) == f"coast:{meant}"


def test_an_id_goes_before_a_name(coast: Packs) -> None:
    assert names(coast).find("mara") == "coast:mara"


def test_of_several_all_are_named_with_their_ids(coast: Packs, both: Packs) -> None:
    told = refusal(coast, "Jon Reed")
    assert "Jon Reed (ferryman) [coast:npcs-jon-reed-ferryman] or Jon Reed (smith) [coast:npcs-jon-reed-smith]" in told
    assert "the widow may be Ilse Coil [coast:keeper] or The Widow [hills:old_widow]" in refusal(both, "the widow")
    assert "mara may be Mara Venn [coast:mara] or Mara of the Hills [hills:mara]" in refusal(both, "mara")
    assert names(both).find("hills:the widow") == "hills:old_widow"


def test_another_remark_in_parentheses_is_another_person(coast: Packs) -> None:
    assert refusal(coast, "Anna Loaf (carter)").startswith("there is no entity Anna Loaf (carter)")


def test_the_nearest_names_are_suggested(coast: Packs) -> None:
    assert "did you mean Ilse Coil [coast:keeper]?" in refusal(coast, "Ilze Coil")
    assert "did you mean The Low House [coast:locations-tavern]?" in refusal(coast, "coast:tavrn")
    assert "did you mean" not in refusal(coast, "Xyzzy")


@pytest.mark.parametrize("hidden", ["Mordecai", "mordecai", "ghost", "npcs-ghost", "coast:npcs-ghost", "Basilisk"])
def test_a_hidden_name_is_answered_like_one_that_nobody_wrote(coast: Packs, hidden: str) -> None:
    unwritten = hidden.replace("o", "oo").replace("lisk", "losk")
    assert names(coast).find(hidden) == "coast:npcs-ghost"
    assert refusal(coast, hidden, "player").replace(hidden, "X") == (
        refusal(coast, unwritten, "player").replace(unwritten, "X")
    )
    assert "ordecai" not in refusal(coast, "Mordecay", "player")


def test_a_name_that_says_a_hidden_one_finds_nothing_for_a_player(coast: Packs) -> None:
    assert names(coast).find("basilisk egg") == "coast:stone"
    assert "there is no entity" in refusal(coast, "basilisk egg", "player")
    assert names(coast, "player").find("a green stone") == "coast:stone"


def test_filters_of_a_query_are_names_too_and_ids_stay(both: Packs) -> None:
    view = LoreView(both)
    asked = LoreRetrievalQuery(location_id="tavern", entity_ids=("mara", "Ilse Coil", "hills:mara"))
    named = name_by_ids(asked, view)
    assert (named.location_id, named.entity_ids) == ("coast:locations-tavern", ("mara", "coast:keeper", "hills:mara"))
    with pytest.raises(NotFound, match="there is no entity Ilze"):
        name_by_ids(LoreRetrievalQuery(entity_ids=("Ilze",)), view)
    of_a_campaign = LoreRetrievalQuery(entity_ids=("game:lamp", "lamp"))
    assert name_by_ids(of_a_campaign, view, lenient=True) == of_a_campaign
