"""Three rooms as scopes, for the table of what players type: a bar, a pier, a hall."""

from __future__ import annotations

from typing import Any

from lorewright.builtin.parser.interpreter import interpret
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope, WayOut


def named(entity_id: str, name: str, kind: Any = "thing", *aliases: str, pronoun: Any = "it") -> Named:
    """Somebody or something in a room."""
    return Named(id=entity_id, name=name, kind=kind, aliases=aliases, pronoun=pronoun)


JO = named("jo", "Jo", "person", pronoun="they")
BAR = named("bar", "The Neon Dragon", "place", "the Dragon", "the bar")
PIER = named("pier", "Pier 9", "place", "the pier")
HALL = named("hall", "Great Hall", "place", "the hall")
VIKTOR = named("viktor", "Viktor", "person", "barman", "bartender", pronoun="he")
MARA = named("mara", "Mara", "person", "the singer", pronoun="she")
JIN = named("jin", "Jin", "person", "the courier", pronoun="she")
CARD = named("card", "business card", "thing", "card")
KNIFE = named("knife", "knife")

ROOMS = {
    "bar": Scope(
        player=JO,
        place=BAR,
        people=(MARA, VIKTOR),
        here=(
            named("blue_lamp", "blue lamp"),
            named("bottle", "green bottle"),
            named("coin", "coin"),
            named("red_lamp", "red lamp"),
        ),
        carried=(CARD, KNIFE),
        doors=(named("steel_door", "steel door", "door"),),
        exits=(
            WayOut(name="alley", to="alley", to_name="Back Alley", door="steel_door", locked=True),
            WayOut(name="street", to="pier", to_name="Pier 9", to_aliases=("the pier",), minutes=5),
        ),
        topics=(JIN,),
    ),
    "pier": Scope(
        player=JO,
        place=PIER,
        here=(
            named("unit", "comm unit", "thing", "radio"),
            named("rope", "coil of rope", "thing", "rope", "coil"),
            named("crate", "wooden crate", "thing", "crate"),
        ),
        carried=(CARD, named("key", "brass key", "thing", "key"), named("lantern", "lantern")),
        doors=(named("shed_door", "shed door", "door"),),
        exits=(
            WayOut(name="street", to="bar", to_name="The Neon Dragon", to_aliases=("the Dragon", "the bar"), minutes=5),
            WayOut(name="north", to="breakwater", to_name="Breakwater"),
            WayOut(name="shed", to="shed", to_name="Net Shed", door="shed_door"),
        ),
        topics=(JIN, VIKTOR),
    ),
    "hall": Scope(
        player=JO,
        place=HALL,
        people=(
            named("captain", "Captain Rusk", "person", "the captain", pronoun="she"),
            named("guard", "guard", "person", pronoun="he"),
        ),
        here=(named("chest", "iron chest", "thing", "chest"),),
        carried=(
            named("iron_key", "iron key"),
            named("purse", "purse"),
            named("sword", "short sword", "thing", "sword"),
        ),
        doors=(named("iron_door", "iron door", "door"), named("oak_door", "oak door", "door")),
        exits=(
            WayOut(name="up", to="tower", to_name="Watchtower", to_aliases=("the tower", "the stairs", "upstairs")),
            WayOut(name="yard", to="yard", to_name="Castle Yard", door="oak_door"),
            WayOut(name="cells", to="cells", to_name="The Cells", door="iron_door", locked=True),
        ),
    ),
}


def read_in(
    room: str, text: str, *, said_before: tuple[str, ...] = (), options: tuple[str, ...] = ()
) -> InterpreterOutput:
    """What the interpreter makes of a line typed in one of the rooms."""
    return interpret(InterpreterInput(player_text=text, scope=ROOMS[room], options=options, said_before=said_before))
