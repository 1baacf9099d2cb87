"""Folders of notes as authors keep them who never heard of types: four manners, four languages."""

from __future__ import annotations

Notes = dict[str, str | bytes]

# English prose with links, two tags, one type.
ABBEY: Notes = {
    "Start here.md": "Notes for the autumn campaign. It all begins at [[Greywater Abbey]] after the flood.\n",
    "Greywater Abbey.md": "---\ntype: location\n---\n# Greywater Abbey\n\nFour roofs and a bell that nobody rings. From the "
    "gate you can see the [[Scriptorium]] and, across the yard, the [[Kitchen Garden]]. [[Abbot Pell]] receives visitors "
    "in the morning.\n\nThe causeway leads to [[Tollin]].\n",
    "Scriptorium.md": "Cold light and nine desks, eight of them used. [[Oswin]] sits at the ninth. The [[Salt Psalter]] is "
    "chained to the lectern.\n",
    "Kitchen Garden.md": "Beans, leeks, and a row of unmarked stones along the wall. Whoever works in the garden is told "
    "not to ask. [[Nan Copperthwaite]] sells the surplus at market.\n",
    "Abbot Pell.md": "---\ntags: [npc]\n---\nA tired man who would rather keep bees. He has not opened the letter from "
    "[[The Drowned Court]].\n",
    "Oswin.md": "Oswin copies the same page every day. He says the ink is wrong. “I know what I read,” he told "
    "[[Nan Copperthwaite]] once, in [[Tollin]].\n",
    "Nan Copperthwaite.md": "---\ntags: [npc, merchant]\n---\nNan runs a stall in [[Tollin]] and hears everything twice.\n",
    "Tollin.md": "A village of forty chimneys on the wrong bank. The inn is shut. [[Nan Copperthwaite]] has the only "
    "stall.\n",
    "Salt Psalter.md": "A book bound in fish skin. The last leaf has been cut out.\n",
    "The Drowned Court.md": "They meet when the river is highest. Nobody has counted them and agreed with anybody else who "
    "has. [[Abbot Pell]] owes them an answer.\n",
}

# German, with a list of links under headings.
HARBOUR: Notes = {
    "Personen und Orte.md": "# Übersicht\n\n## Orte\n\n- [[Kaltenhafen]]\n- [[Leuchtturm]]\n- [[Zum Roten Aal]]\n\n"
    "## Personen\n\n- [[Grete Harms]]\n- [[Kapitän Voss]]\n",
    "Kaltenhafen.md": "Eine Hafenstadt mit zweitausend Seelen und einem Kran. Der [[Leuchtturm]] steht auf der Mole.\n",
    "Leuchtturm.md": "Seit dem Sturm brennt er nicht mehr. [[Kapitän Voss]] hat den Schlüssel.\n",
    "Zum Roten Aal.md": "Die Wirtin [[Grete Harms]] schenkt aus, was da ist.\n\n## Speisekarte\n\nAal, Brot, Bier.\n",
    "Grete Harms.md": "Grete Harms ist die Wirtin im [[Zum Roten Aal]]. Sie kennt jeden Seemann mit Namen.\n",
    "Kapitän Voss.md": "Fährt nicht mehr. Er wohnt in [[Kaltenhafen]] und redet nur vormittags.\n",
    "Der Sturm.md": "Vor sieben Jahren. Drei Schiffe sind nicht zurückgekommen.\n",
    "Messingschlüssel.md": "Ein Schlüssel aus Messing, so lang wie eine Hand.\n",
    "Hinnerk.md": "Sohn von [[Grete Harms]]. Hilft im [[Zum Roten Aal]] und wäre lieber auf See.\n",
    "Die Lotsen.md": "Eine Gilde, die niemanden mehr lotst. [[Kapitän Voss]] war ihr letzter Meister.\n",
}

# Short notes with lists and keys, in folders that say nothing.
STATION: Notes = {
    "hub/Ring Two.md": "## Rooms\n\n- [[Med Bay]]\n- [[The Long Bar]]\n- [[Lock 9]]\n\nSmells of coolant.\n",
    "hub/Med Bay.md": "Three beds. [[Dr. Imani Roe]] keeps the fourth for herself.\n",
    "hub/The Long Bar.md": "- owner: [[Teo]]\n- loud, dark, out of beer\n",
    "hub/Lock 9.md": "Sealed since the accident. There is frost on the inside of the glass.\n",
    "dossiers/Dr. Imani Roe.md": "---\nage: 51\noccupation: surgeon\n---\nSleeps in the [[Med Bay]]. Does not talk about "
    "[[The Accident]].\n",
    "dossiers/Teo.md": '---\npronouns: they/them\nlocation: "[[The Long Bar]]"\n---\nTeo pours. Teo listens. Teo forgets, '
    "for a price.\n",
    "dossiers/Vasquez.md": "Engineer, second class. Was outside [[Lock 9]] when it happened.\n",
    "misc/The Accident.md": "Eleven minutes without pressure. The log says nine.\n",
    "misc/Torque Key.md": "Opens any lock from the outside. [[Vasquez]] carries it on a cord.\n",
    "misc/House rules.md": "We use two dice. Ties go to the player.\n",
}

# French prose.
VALLEY: Notes = {
    "Val-Ombre.md": "Un petit village au bord de la rivière. On y trouve l'[[Auberge du Pont]] et la [[Forge]].\n",
    "Auberge du Pont.md": "La patronne, [[Margaux]], sert un vin honnête.\n",
    "Forge.md": "Le feu n'y dort jamais. [[Bastien]] y travaille depuis vingt ans.\n",
    "Margaux.md": "Margaux est la patronne de l'[[Auberge du Pont]]. Elle connaît tout le monde.\n",
    "Bastien.md": "Bastien est un forgeron taciturne. Il ne quitte pas la [[Forge]].\n",
    "Le vieux moulin.md": "Abandonné. Les enfants de [[Val-Ombre]] disent qu'il tourne la nuit.\n",
    "La dague.md": "Une dague sans garde, trouvée au [[Le vieux moulin]].\n",
    "Fête des Lanternes.md": "Chaque automne, à [[Val-Ombre]].\n",
    "Père Anselme.md": "Il marche avec une canne et ment mal.\n",
    "Légende.md": "On dit que la rivière rend ce qu'elle prend.\n",
}

# Without any links.
UNLINKED: Notes = {
    "Marrow Street.md": "# Marrow Street\n\nA narrow street of butchers and one honest baker.\n",
    "The baker.md": "# The baker\n\nHer name is Ilse and she gets up at three.\n",
    "Clock tower.md": "# Clock tower\n\nIt is eleven minutes slow. You can climb it for a penny.\n",
    "Inspector Quill.md": "# Inspector Quill\n\nQuill walks with a limp he does not have.\n",
    "The fog.md": "# The fog\n\nIt comes up at six.\n",
    "A pocket watch.md": "# A pocket watch\n\nRuns eleven minutes slow.\n",
    "Ideas.md": "# Ideas\n\nWhat if the fog is a person?\n",
}
