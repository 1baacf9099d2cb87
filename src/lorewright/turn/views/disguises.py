"""A text -> the letters in which it can be read: as written, and with those disguises removed that code can remove.

Letters that look like Latin ones, marks, tags and entities are folded away; encodings are decoded; what is written
backwards, shifted along the alphabet or hidden in every second letter is read as well. Nothing here knows what a text
means.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from urllib.parse import unquote

from lorewright.index.keywords import words_of
from lorewright.world.state import WorldState

# Text match: two texts -> whether one says what the other claims, as far as words can show it; in doubt it does not.
# Every telling word of the claim must stand in one sentence, or in two adjacent ones; both deny or neither does; what
# is hedged there must be hedged in the claim; names stand on the same side of the words beside them, and numbers go
# with the same words. So a claim in other words is not found, which costs a confirmation, and hardly ever a false one
# is.

_CLAUSE = re.compile(r",\s+(?:and|but|so)?\s*|\s+(?:and|but)\s+")
_HEARSAY = re.compile(r"\b(?:some|people|they|others|somebody|everybody) (?:say|says|tell|think)\b", re.IGNORECASE)
_MOST_RUNS = 60
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
# Words that do not change what is claimed. `before`, `only`, `never` and the like are not among them.
_SMALL = frozenset(
    "a an the i me my mine you your yours he him his she her hers it its they them their theirs we us our ours "
    "that this these those there here of to at in on by for from with as and or so be am is are was were been being "
    "do does did have has had will shall would'd just really still said told something".split()
)
_DENYING = frozenset("no not never nobody nothing none neither nor cannot without hardly".split())
_HEDGING = frozenset(
    "if unless maybe perhaps might may could would should rumour rumor rumours think thinks believe guess "
    "suppose probably likely supposed".split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
# Stems of ordinals, without their endings.
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth half quarter doubl twic".split()
)
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y")
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "came:come went:go gone:go took:take taken:take gave:give given:give paid:pay sold:sell kept:keep left:leave "
        "saw:see seen:see knew:know known:know brought:bring bought:buy slept:sleep ran:run lent:lend lost:lose "
        "hid:hide hidden:hide met:meet made:make found:find"
    ).split()
)


def supports_claim(text: str, claimed: str, state: WorldState) -> bool:
    """Return True if the text says what is claimed."""
    if not _telling(claimed):
        return False
    sentences = [sentence for sentence in _SENTENCE.split(text) if not _is_hedged(sentence, claimed)]
    # A denial is in one sentence; a second sentence next to it may deny something else.
    pairs = [" ".join(pair) for pair in pairwise(sentences) if not any(map(_denied, pair))]
    return any(_part_says(part, claimed, state) for said in (*sentences, *pairs) for part in _parts_of(said))


def _part_says(said: str, claimed: str, state: WorldState) -> bool:
    if not _telling(claimed) <= _telling(said):
        return False
    denied, claim_denied = _denied(said), _denied(claimed)
    if bool(denied) != bool(claim_denied) or not claim_denied <= denied:
        return False
    return _same_sides(claimed, said, state) and _same_counts(claimed, said)


def _parts_of(sentence: str) -> list[str]:
    """Return the sentence, and each run of its clauses: one clause may deny, another one say."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    runs = [(start, end) for start in range(len(clauses)) for end in range(start + 1, len(clauses) + 1)]
    return [sentence, *(", ".join(clauses[start:end]) for start, end in runs[:_MOST_RUNS])]


def _is_hedged(said: str, claimed: str) -> bool:
    if (set(_plain(said)) & _HEDGING) - set(_plain(claimed)):
        return True
    return _HEARSAY.search(said) is not None and _HEARSAY.search(claimed) is None


def _telling(text: str) -> set[str]:
    return {_stem(word) for word in _plain(text) if word not in _SMALL and word not in _DENYING}


def _plain(text: str) -> list[str]:
    return [part for word in words_of(text.replace("’", "'")) for part in _parts(word)]


def _parts(word: str) -> list[str]:
    """Split a word: `didn't` denies, `it's` is a small word, `cold-store` is two words."""
    if word.endswith("n't"):
        return ["not", word[:-3]]
    return [part for part in re.split(r"['-]", word) if len(part) > 1 or part.isdigit()] or [word]


def _denied(text: str) -> set[str]:
    """Return the telling words that come next after each word that denies; empty where nothing is denied."""
    words = _plain(text)
    found = set()
    for at, word in enumerate(words):
        if word in _DENYING:
            after = (_stem(later) for later in words[at + 1 :] if later not in _SMALL and later not in _DENYING)
            found.add(next(after, ""))
    return found


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, _NUMBERS.get(word, word))
    if word.isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def telling_words(text: str) -> list[str]:
    """Return the words that carry meaning, in order, without their endings; small numbers as digits."""
    return [_stem(word) for word in _plain(text) if word not in _SMALL and word not in _DENYING]


def _same_sides(claimed: str, said: str, state: WorldState) -> bool:
    """Return True if every name comes before or after the words beside it in both texts, as in who asked whom."""
    claim, there = telling_words(claimed), telling_words(said)
    names = _names(state)
    for at, word in enumerate(claim):
        if word in names:
            before, after = claim[max(at - 1, 0) : at], claim[at + 1 : at + 2]
            first, last = there.index(word), len(there) - 1 - there[::-1].index(word)
            if any(other not in names and there.index(other) > last for other in before):
                return False
            if any(len(there) - 1 - there[::-1].index(other) < first for other in after):
                return False
    return True


def _same_counts(claimed: str, said: str) -> bool:
    """Return True if every number goes with the word before it or after it in both texts."""
    claim, there = telling_words(claimed), telling_words(said)
    side_by_side = set(pairwise(there))
    if sum(map(_counts, there)) < 2:
        return True
    for at, word in enumerate(claim):
        if not _counts(word):
            continue
        beside = [*pairwise(claim[max(at - 1, 0) : at + 1]), *pairwise(claim[at : at + 2])]
        if beside and side_by_side.isdisjoint(beside):
            return False
    return True


def _counts(word: str) -> bool:
    return word.isdigit() or word in _ORDINALS


def _names(state: WorldState) -> set[str]:
    people = (entity for entity in state.entities.values() if entity.type in ("npc", "player"))
    return {_stem(word) for person in people for word in _plain(person.name) if len(word) > 2}


# Letterings: the letters in which a text can be read, as written and without the disguises.

# Signs that look like a Latin letter although neither their decomposition nor their name leads back to it: the singles
# of Unicode's table of confusables (UTS 39), and other common look-alikes.
_LOOKS_LIKE = {
    "a": "ɑΑαАаᎪᗅ⍺ꓮ𐊠",
    "b": "ƄΒβВвЬьᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁",
    "c": "ɔϲϹСсᏟⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜",
    "d": "ԁᎠᏧᑯᗞᗪꓒꓓδ",
    "e": "ΕεЕеҽᎬ℮⋿ⴹꓰ𐊆єэЭёЁ",
    "f": "ɟϜքᖴꓝ𐊇𐊥𐔥",
    "g": "ƃƍԌցᏀᏳꓖ",
    "h": "ΗНнһհᎻᏂᕼⲎꓧ𐋏",
    "i": "ɩΙιІіӏӀᎥ⍳ꙇꭵ∣⏽ǀ",
    "j": "ͿϳЈјᎫᒍꓙ",
    "k": "ΚκКкᏦᛕⲔꓗ𐔘",
    "l": "ᏞᒪᛁⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦λЛл",
    "m": "ΜϺМмᎷᗰᛖⲘꓟ𐊰𐌑",
    "n": "ΝηռոⲚꓠ𐔓ПпИи",
    "o": "ΟοσОоՕօ۵०০੦૦ଠ୦௦ం౦ಂ೦ംഠ൦ං๐໐ဝ၀ჿዐⲞⲟⵔ〇ꓳ𐊒𐊫𐐄𐐬𐓂𐓪𐔖",
    "p": "ΡρϱРрᏢᑭ⍴Ⲣⲣꓑ𐊕",
    "q": "ԛգզⵕ",
    "r": "гГᎡᏒᖇᴦⲅꓣꭇꮁ𐒴Яя",
    "s": "ƽЅѕՏᏕᏚꓢꮪ𐊖𐐠𐑈",
    "t": "ΤτТтᎢ⊤⟙Ⲧꓔ𐊗𐊱𐌕",
    "u": "μυՍսሀᑌ∪⋃ꓴ𐓎𐓶Цц",
    "v": "νѴѵ۷Ꮩᐯ∨⋁ⴸꓦꛟꮩ𐔝",
    "w": "ωѡԜԝաᎳᏔꓪꮃШшЩщ",
    "x": "×ΧχХхᕁᕽ᙭᙮ᚷ╳⤫⤬⨯ⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧",
    "y": "ɣΥγϒУуҮүყᎩᎽℽⲨꓬ𐊲Чч",
    "z": "ΖζᏃꓜꮓ𐋵",
}
# `LATIN SMALL LETTER TURNED A`, `NEGATIVE SQUARED LATIN CAPITAL LETTER A` and `REGIONAL INDICATOR SYMBOL LETTER A` are
# all an A.
_NAMED = re.compile(r"(?:LATIN|NEGATIVE|SQUARED|REGIONAL)\b.* ([A-Z]{1,2})(?: WITH .+)?$")
_TAGS = 0xE0000
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
_NAMED_OTHERWISE = {"ð": "d", "þ": "th", "ə": "e", "ʃ": "s", "ı": "i", "ß": "ss"}

_TAG = re.compile(r"<!--.{0,400}?-->|</?[a-zA-Z!][^<>]*>|\[/?[a-zA-Z]{1,8}(?:=[^\]]{0,200})?\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u\{?([0-9a-fA-F]{2,6})\}?|x([0-9a-fA-F]{2}))")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_BASE32 = re.compile(r"\b[A-Z2-7]{16,}={0,6}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{2}(?:[\s,:;-]{0,3}(?:0x)?[0-9a-fA-F]{2}){5,}")
_CODES = re.compile(r"(?:\b\d{2,3}\b[\s,;.-]*){6,}")
_BITS = re.compile(r"(?:\b[01]{7,8}\b[\s,]*){6,}")
# The greatest depth at which encodings in encodings are decoded.
_DEPTH = 2

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"[’'ʼ]s\b")
_APOSTROPHE = re.compile(r"[’'ʼ]")
# Digits and signs that stand for a letter; and, below, letters and digits that are hard to tell apart, as one letter
# each.
_LEET = str.maketrans("0134578@$|!€+", "oieastbasliet")
_LEET_WORD = re.compile(r"(?=[0-9@$|!€+]{0,40}[a-z])(?!\d{1,9}(?:st|nd|rd|th|s)?\b)[a-z0-9@$|!€+]*[a-z0-9@$€]")
_SIGNS = str.maketrans("@$|!€+", "asiiet")
_ALIKE = str.maketrans("01345789lj", "oieastbgii")
_DOUBLED = re.compile(r"(.)\1+")
_VOWELS = str.maketrans("", "", "aeiou")


class _Folding(dict[int, str]):
    """A table for `str.translate` of the letter that each sign is read as, filled on use."""

    def __missing__(self, code: int) -> str:
        self[code] = read = _letters_of_sign(chr(code))
        return read


def _letters_of_sign(sign: str) -> str:
    if sign.isascii():
        return sign
    if _TAGS < ord(sign) < _TAGS + 0x7F:
        # Invisible to a reader, and plain text to a model.
        return chr(ord(sign) - _TAGS)
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") or sign in _BLANK:
        return ""
    known = _NAMED_OTHERWISE.get(sign)
    named = _NAMED.match(unicodedata.name(sign, ""))
    return known or (named[1].lower() if named else sign)


_FOLDING = _Folding({ord(sign): letter for letter, signs in _LOOKS_LIKE.items() for sign in signs})


def folded(text: str) -> str:
    """Return the text in lower-case plain letters: no marks, no invisible signs, nothing that only looks Latin."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).translate(_FOLDING)).casefold()


def words_folded(text: str) -> list[str]:
    """Return the words of a text, folded, in order; possessives and apostrophes do not count."""
    return _WORD.findall(_APOSTROPHE.sub("", _POSSESSIVE.sub("", folded(text))))


def letters_of(words: Iterable[str]) -> str:
    """Return words as one run of letters: those that look alike are the same, and none stands twice in a row."""
    return _without_doubles("".join(words).translate(_ALIKE))


def bones_of(letters: str) -> str:
    """Return a run of letters without its vowels."""
    return _without_doubles(letters.translate(_VOWELS))


def _without_doubles(letters: str) -> str:
    return _DOUBLED.sub(lambda found: found[1], letters)


@lru_cache(maxsize=256)
def texts_in(text: str) -> tuple[str, ...]:
    """Return the text itself, then without entities and escapes, without tags, with signs as letters, and each text
    that is encoded in it; every one once."""
    found = dict.fromkeys((text, *_unmarked(text)))
    layer = list(found)
    for _ in range(_DEPTH):
        layer = [made for text in layer for made in _decoded(text) if made not in found]
        found |= dict.fromkeys(reading for text in layer for reading in (text, *_unmarked(text)))
    return tuple(found)


def _unmarked(text: str) -> Iterator[str]:
    plain = unquote(html.unescape(html.unescape(text)))
    plain = _ESCAPED.sub(lambda found: _sign(int(found[1] or found[2], 16)), plain)
    yield plain
    yield _TAG.sub("", plain)
    yield plain.translate(_SIGNS)


def _sign(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def _decoded(text: str) -> Iterator[str]:
    """Yield the texts that stand in it in base64, base32, hexadecimal, as bits or as numbers of signs."""
    for pattern, decode in _DECODERS:
        for found in pattern.findall(text):
            made = _decoded_text(decode, found)
            if made:
                yield made


def _decoded_text(decode: Callable[[str], bytes], found: str) -> str:
    """Return the decoded text, or an empty one where the bytes are no text: most words decode to none."""
    try:
        raw = decode(found)
        made = raw.decode("utf-16") if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return made if made.isprintable() or made.replace("\n", "").isprintable() else ""


def _from_base64(found: str) -> bytes:
    bare = found.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)


def _from_base32(found: str) -> bytes:
    bare = found.rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8))


def _from_hex(found: str) -> bytes:
    return bytes.fromhex(re.sub(r"0x|[^0-9a-fA-F]", "", found))


def _from_codes(found: str) -> bytes:
    return bytes(map(int, re.findall(r"\d+", found)))


def _from_bits(found: str) -> bytes:
    return bytes(int(bits, 2) for bits in re.findall(r"[01]+", found))


_DECODERS: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_CODES, _from_codes),
    (_BITS, _from_bits),
)


def letterings(words: list[str]) -> Iterator[str]:
    """Yield the runs of letters (as `letters_of`) in which words can be read: as they stand, then word by word
    backwards, every second and third letter, the first letter of each word, and shifted along the alphabet; each
    forwards and backwards."""
    straight = "".join(words)
    ways = [straight, "".join(word[::-1] for word in words)]
    ways += [straight[start::step] for step in (2, 3) for start in range(step)]
    ways.append("".join(word[0] for word in words))
    ways += [straight.translate(shift) for shift in _SHIFTS]
    for letters in ways:
        yield letters_of(letters)
        yield letters_of(reversed(letters))


# Shifts along the alphabet by 1 to 25 letters, its reversal, and letters that are upside down.
_SHIFTS = (
    *(str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by]) for by in range(1, 26)),
    str.maketrans(ascii_lowercase, ascii_lowercase[::-1]),
    str.maketrans("bdnupq", "qpundb"),
)


def without_leet(text: str) -> str:
    """Return a folded text with digits and signs within words as the letters that they stand for: `k1ll3d` is `killed`,
    `17th` and `32` stay."""
    return _LEET_WORD.sub(lambda found: found[0].translate(_LEET), text)
