"""A source's object, field by field: a format takes the fields that it knows, the others are kept under `x_…`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from lorewright.formats.imported import ImportReport
from lorewright.formats.json_source import free_key

# Guessing the type of an entry from words: the only tables for that.

# Type -> the names that other tools use in a type field, folder, category or prefix ("Location: Kyoto").
_NAMED_TYPES = {
    "npc": "npc character person people creature monster animal companion deity god",
    "location": "location place region city town area country planet landmark",
    "faction": "faction organization organisation group guild house clan kingdom nation",
    "culture": "culture race species religion concept lore language magic setting role class",
    "history": "history background backstory timeline era period",
    "technology": "technology tech vehicle ship",
    "item": "item object weapon artifact artefact equipment thing gear",
    "event": "event quest battle incident",
}

_WORDS: dict[str, str] = {
    "location": """alley bar bay bridge building camp castle cathedral cave church city cliff coast cottage country
        courtyard desert district docks dungeon estate forest fortress garden glade hall harbor harbour haven hill hotel
        house hut inn island keep lake library manor market mountain mountains museum neighborhood ocean palace park
        plaza port prison province quarter region river road ruins school sea shop shrine square station street swamp
        tavern temple tower town valley village wood woods""",
    "faction": """alliance army band cabal cartel church clan company cult council coven crew empire family federation
        gang government guild kingdom legion mafia militia ministry nation order organisation organization police
        rebellion republic resistance shogunate society syndicate tribe union""",
    "item": """amulet armor armour artifact artefact axe blade book bow coin crown crystal dagger device gem grimoire
        gun jewel key knife medallion necklace orb pistol potion relic rifle ring scroll shield spear staff sword
        talisman tome wand weapon""",
    "event": """attack battle ceremony coronation crusade election feast festival flood invasion massacre plague
        rebellion revolution ritual siege tournament treaty uprising war wedding""",
    "technology": """android computer cyberware drone engine implant machine nanotechnology reactor robot software
        spaceship starship teleporter""",
    "history": "age century chronicle dynasty era epoch history period reign timeline",
    "npc": """barista baron bartender blacksmith boy brother captain count daughter detective doctor duchess duke
        emperor empress father friend girl guard king knight lady lord man merchant mother nobleman noblewoman officer
        priest priestess prince princess queen scientist sister soldier son student teacher thief warrior
        witch wizard woman""",
}
# The same in scripts without spaces between words: what a name ends with, and what the beginning of a text holds.
_UNSPACED_WORDS: dict[str, str] = {
    "location": """城 城市 都市 城堡 王都 首都 镇 鎮 小镇 村 村庄 村莊 街 街道 市场 市場 港 港口 山 山脉 山脈 谷 山谷
        河 川 湖 海 岛 島 森林 林 森 平原 沙漠 草原 洞窟 洞穴 洞 塔 神殿 神庙 神廟 神社 寺 教堂 大聖堂 学院
        學院 学园 学園 図書館 图书馆 酒馆 酒場 旅馆 宿屋 店 宫 宮 宮殿 宫殿 遗迹 遺跡 迷宫 迷宮 要塞 关 橋
        桥 区 區 地区 地域 大陆 大陸 渓谷 峠 屋敷 工房 도시 마을 성 왕도 항구 산 산맥 계곡 강 호수 바다 섬
        숲 사막 동굴 탑 신전 학원 학교 도서관 주점 여관 시장 궁전 유적 미궁 요새 다리""",
    "faction": """公会 公會 工会 ギルド 协会 協会 商会 商會 组织 組織 教会 教團 教团 教団 骑士团 騎士團 騎士団 军团
        軍團 軍 军 帝国 帝國 王国 王國 共和国 联盟 聯盟 同盟 连邦 連邦 联邦 家族 一族 氏族 门派 宗门 帮 帮派
        派 团 团队 団 会 結社 盗賊団 길드 협회 상회 조직 교회 교단 기사단 군단 제국 왕국 연합 동맹 가문 일족""",
    "item": """剑 劍 剣 刀 弓 枪 槍 杖 盾 斧 铠甲 鎧 戒指 指輪 项链 首飾 護符 护符 药水 藥水 薬 药 毒药 石 宝石
        水晶 结晶 結晶 魔石 书 書 之书 の書 钥匙 鍵 面具 仮面 王冠 冠 圣杯 聖杯 灯 鈴 铃 鏡 镜 笛 검 활 창
        지팡이 방패 갑옷 반지 목걸이 물약 약 보석 수정 책 열쇠 가면 왕관""",
    "event": """战争 戰爭 戦争 大战 大戰 大戦 战役 之战 の戦い 戦い 节 祭 祭典 庆典 仪式 儀式 灾变 災變 大災 事件
        之乱 の乱 叛乱 革命 起义 전쟁 전투 축제 의식 사건 반란 혁명""",
    "history": "历史 歷史 歴史 时代 時代 纪元 紀元 王朝 年表 编年史 神话时代 역사 시대 연대기",
    "technology": "机甲 機甲 机器人 機械 机械 飞船 飛船 飛空艇 引擎 装置 裝置 로봇 기계 비행선 장치",
    "npc": """骑士 騎士 公主 王子 国王 國王 女王 皇帝 皇后 王妃 魔女 女巫 巫女 神官 祭司 法师 法師 魔法师 魔導士
        魔術師 商人 铁匠 鍛冶屋 猎人 狩人 刺客 战士 戦士 勇者 冒险者 冒険者 店主 老板 队长 隊長 団長 团长
        将军 將軍 将軍 学者 少女 少年 老人 侍女 女仆 メイド 執事 师父 공주 왕자 국왕 여왕 황제 마녀 마법사
        상인 대장장이 사냥꾼 기사 용사 단장 장군 소녀 소년 노인 하녀 집사""",
}
_TYPE_OF_UNSPACED = {word: kind for kind, listed in _UNSPACED_WORDS.items() for word in listed.split()}
_LONGEST_UNSPACED = max(map(len, _TYPE_OF_UNSPACED))
_UNSPACED_WORD = re.compile(
    "|".join(sorted((word for word in _TYPE_OF_UNSPACED if len(word) > 1), key=len, reverse=True))
)
_OF_AN_UNSPACED_PERSON = re.compile(
    "她|他|彼女|彼は|彼の|그녀|그는|그의|[0-9一二三四五六七八九十]+[岁歲歳才]|살의|性格|身高|身長|长发|長髪|短发|头发|髪|眼睛|瞳|嗓音|口癖|성격|머리카락|눈동자"
)
_TYPE_OF_NAME = {name: kind for kind, names in _NAMED_TYPES.items() for name in names.split()}
_TYPES_OF_WORD: dict[str, tuple[str, ...]] = {}
for _kind, _listed in _WORDS.items():
    for _word in _listed.split():
        _TYPES_OF_WORD[_word] = (*_TYPES_OF_WORD.get(_word, ()), _kind)

_PRONOUNS = frozenset("he she him his her hers himself herself".split())
_OF_A_PERSON = frozenset(
    """age aged born eyes face gender grew hair height laughs lives loves old personality says skin smile smiles speaks
    wants wearing wears works worn""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_PREFIX = re.compile(r"\s*\[?\s*([^\W\d_]{2,20})\s*\]?\s*[:\-–—]\s+(\S.*)", re.DOTALL)

_NAME_WEIGHT = 5
_KEYS_WEIGHT = 10  # divided among the words of all keys
_OPENING_WEIGHT = 2
_ENOUGH = 2
_WORDS_SHOWN = 4
_OPENING_WORDS = 12
_READ_WORDS = 400
# In characters, of a text in a script without spaces between words.
_OPENING_UNSPACED = 40


def named_type(word: str) -> str | None:
    """Return the type that a source's own name for it means: `Character` -> npc, `places` -> location; None if
    unknown."""
    plain = word.strip().casefold()
    return _TYPE_OF_NAME.get(plain) or _TYPE_OF_NAME.get(plain.removesuffix("s"))


def split_prefix(title: str) -> tuple[str, str]:
    """Return type and name of a title with a prefix: `Location: Kyoto` -> (`location`, `Kyoto`); else ("", title)."""
    match = _PREFIX.match(title)
    kind = named_type(match.group(1)) if match else None
    return (kind, match.group(2).strip()) if match and kind else ("", title)


def guess_type(name: str, keys: Iterable[str], text: str, *, is_talk: bool = False) -> tuple[str, str]:
    """Return the likeliest type, and the words that indicate it. Names and keys weigh most, then the text's first
    words.

    `is_talk`: the text is a sample of dialogue, which tells nothing about the type.
    """
    votes = _TypeVotes()
    for word in dict.fromkeys(_words(name)):
        votes.count(word, _types_of(word), _NAME_WEIGHT)
    key_words = list(dict.fromkeys(_words(" ".join(keys))))
    for word in key_words:
        votes.count(word, _types_of(word), max(1, _KEYS_WEIGHT // len(key_words)))
    for place, word in enumerate([] if is_talk else _words(text)[:_READ_WORDS]):
        if place < _OPENING_WORDS:
            votes.count(word, _types_of(word), _OPENING_WEIGHT)
        if word in _PRONOUNS or word in _OF_A_PERSON:
            votes.count(word, ("npc",), 1)
    _count_unspaced(votes, [name, *keys], "" if is_talk else text)
    return votes.winner()


def _count_unspaced(votes: _TypeVotes, names: Sequence[str], text: str) -> None:
    """Count the words of scripts without spaces between words: the longest that each name ends with, those in the
    beginning of the text, and what tells of a person anywhere in it."""
    for place, name in enumerate(names):
        plain = name.strip("》」』】）) ")
        sizes = range(min(_LONGEST_UNSPACED, len(plain) - 1), 0, -1)
        word = next((plain[-size:] for size in sizes if plain[-size:] in _TYPE_OF_UNSPACED), None)
        if word is not None:
            votes.count(word, (_TYPE_OF_UNSPACED[word],), 1 if place else _NAME_WEIGHT)
    for word in dict.fromkeys(_UNSPACED_WORD.findall(text[:_OPENING_UNSPACED])):
        votes.count(word, (_TYPE_OF_UNSPACED[word],), _OPENING_WEIGHT)
    for word in _OF_AN_UNSPACED_PERSON.findall(text[:_READ_WORDS]):
        votes.count(word, ("npc",), 1)


class _TypeVotes:
    """The scores of types, and the words that counted for each."""

    def __init__(self) -> None:
        self._scores: Counter[str] = Counter()
        self._words: dict[str, dict[str, None]] = {}

    def count(self, word: str, types: Iterable[str], weight: int) -> None:
        for kind in types:
            self._scores[kind] += weight
            self._words.setdefault(kind, {})[word] = None

    def winner(self) -> tuple[str, str]:
        """Return the first of the best types and its words; culture if no type has enough."""
        for kind, score in self._scores.most_common(1):
            if score >= _ENOUGH:
                return kind, ", ".join(list(self._words[kind])[:_WORDS_SHOWN])
        return "culture", "nothing says otherwise"


def _words(text: str) -> list[str]:
    return [match.group().casefold() for match in _WORD.finditer(text[: _READ_WORDS * 40])]


def _types_of(word: str) -> tuple[str, ...]:
    return _TYPES_OF_WORD.get(word) or _TYPES_OF_WORD.get(word.removesuffix("s"), ())


# A source's object, field by field: the fields that a format does not take are kept under `x_…`.

T = TypeVar("T")


def anything(text: str) -> bool:
    """Return True: every text is accepted."""
    return True


class Fields:
    """The fields of one object. `path` is the prefix of their names in the report, as in `entries[].`.

    A field whose value has another shape than requested is not taken, and so is kept as it is.
    """

    def __init__(self, data: dict[str, Any], *, path: str, report: ImportReport) -> None:
        self._left = dict(data)
        self._path = path
        self._report = report

    def peek(self, *keys: str) -> str:
        """Return the text of the first of these fields that holds text, without taking it; "" if none does."""
        texts = (self._left.get(key) for key in keys)
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")

    def text(self, *keys: str, place: str, accept: Callable[[str], bool] = anything) -> str:
        """Take and return the first of these fields that holds text, if it is accepted, else "". Empty fields before it
        are taken too."""
        for key in keys:
            value = self._left.get(key)
            if not isinstance(value, str):
                continue
            if value.strip() and not accept(value):
                return ""
            del self._left[key]
            if value.strip():
                self._report.add(self._path + key, place)
                return value
        return ""

    def texts(
        self, key: str, *, place: str, accept: Callable[[str], bool], limit: int, separator: str = ""
    ) -> list[str]:
        """Take and return the accepted texts of a list, at most `limit`; the other members stay.

        A single text counts as a list of one, or is split at a separator, if all of it is accepted.
        """
        value = self._left.get(key)
        if value in ("", []):
            del self._left[key]
        if not isinstance(value, (list, str)) or not value:
            return []
        alone = isinstance(value, str)
        members: list[Any] = (value.split(separator) if separator else [value]) if isinstance(value, str) else value
        places = [n for n, member in enumerate(members) if _is_text(member, accept)][:limit]
        if not places or (alone and len(places) < len(members)):
            return []
        taken = set(places)
        left = [member for n, member in enumerate(members) if n not in taken]
        self._left[key] = left
        if not left:
            del self._left[key]
        texts = [members[n] for n in places if members[n].strip()]
        self._report.add(f"{self._path}{key}", place, len(texts))
        return texts

    def flag(self, key: str) -> bool | None:
        """Return a boolean field without taking it; None if it is none."""
        value = self._left.get(key)
        return value if isinstance(value, bool) else None

    def peek_value(self, key: str) -> Any:
        """Return the value of a field without taking it; None if there is none."""
        return self._left.get(key)

    def value(self, key: str, accept: Callable[[Any], bool], *, place: str, usual: Any) -> Any:
        """Take and return a field that is accepted, else None. A field with its `usual` value stays."""
        value = self._left.get(key)
        if value is None or _same(value, usual) or not accept(value):
            return None
        self._report.add(self._path + key, place)
        return self._left.pop(key)

    @contextmanager
    def inside(self, key: str) -> Iterator[Fields]:
        """Yield the fields of an object within this one; fields that are not taken stay in it."""
        value = self._left.get(key)
        inner = Fields(value if isinstance(value, dict) else {}, path=f"{self._path}{key}.", report=self._report)
        yield inner
        if isinstance(value, dict) and inner._left != value:
            self._left = {
                name: inner._left if name == key else field_value
                for name, field_value in self._left.items()
                if name != key or inner._left
            }

    def mapping(self, key: str) -> dict[str, Any]:
        """Take and return an object; an empty one if the field is none."""
        return self._left.pop(key) if isinstance(self._left.get(key), dict) else {}

    def members(self, key: str) -> list[tuple[str, Any]]:
        """Take a list or an object and return pairs of key and member; the keys of a list are empty."""
        value = self._left.get(key)
        if isinstance(value, list):
            self._left.pop(key)
            return [("", member) for member in value]
        if isinstance(value, dict):
            self._left.pop(key)
            return list(value.items())
        return []

    def drop_equal(self, other: dict[str, Any], *, path: str, renamed: dict[str, str]) -> None:
        """Drop the fields that `other` has too, under the same or the renamed name, if they are empty or equal here."""
        for key in list(self._left):
            other_key = renamed.get(key, key)
            if other_key in other and (_is_empty(self._left[key]) or _same(other[other_key], self._left[key])):
                del self._left[key]
                self._report.add(self._path + key, f"the same as {path}{other_key}")

    def member(self, key: str, name: str, read: Callable[[Any], T | None]) -> T | None:
        """Take a member of an object and return what `read` makes of it, if that is not None; an object that becomes
        empty is removed."""
        value = self._left.get(key)
        found = read(value[name]) if isinstance(value, dict) and name in value else None
        if found is not None and isinstance(value, dict):
            left = {other: member for other, member in value.items() if other != name}
            kept = self._left.items()
            self._left = {other: left if other == key else given for other, given in kept if other != key or left}
        return found

    def drop(self, expected: dict[str, Any]) -> None:
        """Drop the fields with exactly these values, which our own export filled in."""
        for key, value in expected.items():
            if key in self._left and _same(value, self._left[key]):
                del self._left[key]
                self._report.add(self._path + key, "filled in by our export")

    def put(self, key: str, value: Any) -> None:
        """Put back a value that was taken and could not be used."""
        self._left[key] = value

    def rest(self, *, taken: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that were not taken, under `x_…`, after those of `taken`; a name that is taken gets a
        number."""
        kept: dict[str, Any] = dict(taken or {})
        for key, value in self._left.items():
            name = free_key(f"x_{key}", kept)
            kept[name] = value
            self._report.add(self._path + key, name)
        return kept

    def remainder(self, *, place: str) -> dict[str, Any]:
        """Return the fields that were not taken, under their own names, and report them with one place."""
        for key in self._left:
            self._report.add(self._path + key, place)
        return dict(self._left)


def _is_text(member: Any, accept: Callable[[str], bool]) -> bool:
    return isinstance(member, str) and (not member.strip() or accept(member))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _same(value: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal and of the same types, unlike 1 and true."""
    return type(value) is type(other) and bool(value == other) and repr(value) == repr(other)
