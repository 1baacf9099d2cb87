"""A bar, its people and things, as scopes and scene views for the twins' tests."""

from __future__ import annotations

from lorewright.builtin.parser.interpreter import interpret
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope, WayOut

PLAYER = Named(id="c:jo", name="Jo", kind="person")
BAR = Named(id="p:neon_dragon", name="The Neon Dragon", aliases=("the Dragon",), kind="place")
VIKTOR = Named(id="p:viktor", name="Viktor", aliases=("the bartender", "fixer"), kind="person")
CHEN = Named(id="p:agent_chen", name="Agent Chen", kind="person")
JIN = Named(id="p:jin", name="Jin", aliases=("Jin Park",), kind="person")
UNIT = Named(id="p:comm_unit", name="backup comm unit", aliases=("comm", "radio"), kind="thing")
KNIFE = Named(id="p:knife", name="bar knife", kind="thing")
CREDSTICK = Named(id="p:credstick", name="credstick", kind="thing")
STEEL_DOOR = Named(id="p:steel_door", name="steel door", kind="door")
BACK_DOOR = Named(id="p:back_door", name="back door", kind="door")
PIER = Named(id="p:pier_9", name="Pier 9", aliases=("the cold store",), kind="place")
LEDGER = Named(id="p:ledger", name="Viktor's ledger", kind="thing")
ALLEY = WayOut(name="alley", to="p:back_alley", to_name="Back Alley", door="p:steel_door")
STREET = WayOut(name="street", to="p:night_market", to_name="Night Market", to_aliases=("the market",), minutes=5)
DOCKS = WayOut(name="north", to="p:docks", to_name="The Docks", minutes=20)

SCOPES = {
    "bar": Scope(
        player=PLAYER,
        place=BAR,
        people=(VIKTOR,),
        here=(UNIT, KNIFE),
        carried=(CREDSTICK,),
        doors=(STEEL_DOOR,),
        exits=(ALLEY, STREET, DOCKS),
        topics=(JIN, PIER, LEDGER),
    ),
    "crowd": Scope(
        player=PLAYER,
        place=BAR,
        people=(VIKTOR, CHEN),
        here=(UNIT,),
        doors=(STEEL_DOOR, BACK_DOOR),
        exits=(ALLEY, STREET.model_copy(update={"door": "p:back_door"})),
        topics=(JIN,),
    ),
    "cell": Scope(player=PLAYER, place=BAR, here=(UNIT,), exits=(STREET,)),
    "void": Scope(player=PLAYER, place=BAR),
}


def read(text: str, scope: str = "bar", options: tuple[str, ...] = ()) -> InterpreterOutput:
    """What the interpreter makes of the text in one of the scopes."""
    return interpret(InterpreterInput(player_text=text, scope=SCOPES[scope], options=options))
