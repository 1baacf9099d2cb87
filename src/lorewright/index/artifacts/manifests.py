"""What a store says of packs, as JSON that carries its own digest.

    packs/PACK.json              which text of a pack is current, and which generations of it were pushed with it
    generations/PACK/NAME.json   the files of a generation; NAME is that of its folder below `indexes/generations/`
    objects/ab/abcd…             a file's bytes, by their SHA-256
    texts/HASH.zip               a pack's text, by the hash that campaigns pin

A generation is there once its manifest is, which is written last; the pointer of its pack comes after that.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from lorewright.errors import DamagedFile
from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import CHUNKS_FILE, GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.packs.models import Layer

# The files that a generation consists of: whatever else lies in its folder can be made again.
FileName = Literal["chunks.db", "chunks.sha256", "vectors.npy", "vectors.json"]
# More than a pointer or a manifest ever takes.
LIMIT = 1 << 18
T = TypeVar("T", bound=BaseModel)

_HASH = r"^[0-9a-f]{64}$"
_PUSH_AGAIN = "push its pack again where it is installed: lorewright pack push PACK --to URL --anew"


class StoredFile(BaseModel):
    """A file of a generation: the SHA-256 of its bytes, by which its object is called, and how many they are."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    sha256: str = Field(pattern=_HASH)
    size: int = Field(ge=1)

    @property
    def name(self) -> str:
        """The name of its object."""
        return f"objects/{self.sha256[:2]}/{self.sha256}"


class GenerationManifest(BaseModel):
    """A generation in a store: its key, the embedder of its vectors (`keywords` without), and its files."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    pack_id: str
    content_hash: str = Field(pattern=_HASH)
    space: str
    files: dict[FileName, StoredFile]

    @property
    def key(self) -> GenerationKey:
        """The pack and the hash of its text."""
        return GenerationKey(self.pack_id, self.content_hash)

    @property
    def size(self) -> int:
        """How many bytes its files are."""
        return sum(file.size for file in self.files.values())


class Pointer(BaseModel):
    """The current text of a pack in a store: what a list of packs says of it, and the digests of the manifests that
    were pushed with it, by the names of their folders."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    id: str
    name: str
    version: str
    layer: Layer
    content_hash: str = Field(pattern=_HASH)
    files: int
    chunks: int
    tokens: int
    installed_at: str
    depends_on: tuple[tuple[str, str], ...] = ()
    generations: dict[str, str] = Field(default_factory=dict)

    @property
    def key(self) -> GenerationKey:
        """The pack and the hash of its text."""
        return GenerationKey(self.id, self.content_hash)

    def as_installed(self, url: str) -> InstalledPack:
        """Return it as a list of packs has it; its path is where it was read, and no folder."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in type(self).model_fields}
        del fields["generations"]
        return InstalledPack(**fields, path=f"{url}/{pointer_name(self.id)}")


def pointer_of(pack: InstalledPack, generations: dict[str, str]) -> Pointer:
    """Return the pointer to an installed pack whose generations have these manifests."""
    fields = {name: value for name, value in asdict(pack).items() if name not in ("path", "lenient")}
    return Pointer(**fields, generations=generations)


def pointer_name(pack_id: str) -> str:
    """Return the name of a pack's pointer."""
    return f"packs/{pack_id}.json"


def manifest_name(key: GenerationKey, space: str) -> str:
    """Return the name of a generation's manifest.

    Raises:
        UnsafePath: ID or hash is invalid.
    """
    return f"generations/{key.folder_in(space)}.json"


def text_name(content_hash_of_text: str) -> str:
    """Return the name of a pack's text."""
    return f"texts/{content_hash_of_text}.zip"


@dataclass(frozen=True, slots=True)
class Sealed:
    """The bytes of a pointer or manifest, and the digest in them."""

    data: bytes
    digest: str


def seal(value: BaseModel) -> Sealed:
    """Return the bytes of a pointer or manifest: the same for the same contents."""
    text = canonical_json(value.model_dump(mode="json"))
    digest = content_hash(text)
    return Sealed(canonical_json({"sha256": digest, "says": json.loads(text)}).encode(), digest)


def read_pointer(data: bytes, where: str, pack_id: str) -> Pointer:
    """Return the pointer to a pack.

    Raises:
        DamagedFile: the bytes are none, or another pack's.
    """
    pointer = _unsealed(data, where, Pointer)
    if pointer.id != pack_id or not pointer.key.is_plain:
        raise DamagedFile(f"{where} is of another pack", hint=_PUSH_AGAIN)
    return pointer


def read_manifest(data: bytes, where: str, key: GenerationKey, space: str) -> GenerationManifest:
    """Return the manifest of a generation.

    Raises:
        DamagedFile: the bytes are none, or another generation's.
    """
    manifest = _unsealed(data, where, GenerationManifest)
    if manifest.key != key or manifest.space != space or CHUNKS_FILE not in manifest.files:
        raise DamagedFile(f"{where} is of another generation", hint=_PUSH_AGAIN)
    return manifest


def _unsealed(data: bytes, where: str, kind: type[T]) -> T:
    try:
        found = json.loads(data)
        says, digest = found["says"], found["sha256"]
        # What a later version says beside is passed over, and counts for the digest.
        is_whole = content_hash(canonical_json(says)) == digest
        value = kind.model_validate(says)
    except (ValueError, LookupError, TypeError, RecursionError):
        raise DamagedFile(f"{where} cannot be read", hint=_PUSH_AGAIN) from None
    if not is_whole:
        raise DamagedFile(f"{where} holds other bytes than were pushed", hint=_PUSH_AGAIN)
    return value
