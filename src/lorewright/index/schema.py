"""The tables of a generation's `chunks.db`. Each is written once, when the generation is built."""

from __future__ import annotations

from lorewright.index.fulltext import fulltext_here

# Raised whenever what stands in a generation changes, so that an old one is rebuilt rather than misread.
GENERATION_FORMAT = 10

# BM25 weights of title, section and text: on linked documents 2 to 5 for the first two lift nDCG from .40 to .48.
COLUMN_WEIGHTS = (3.0, 2.0, 1.0)


KEYWORD_TABLES = ("open_fts", "hidden_fts")


def keyword_statements(*, english: bool) -> tuple[str, ...]:
    """Two keyword indexes, because a secret must not show even in how rare a word is: what everyone may read, and the
    rest."""
    made_with = fulltext_here()
    return tuple(made_with.create(table, english=english, content="pack_chunks") for table in KEYWORD_TABLES)


STATEMENTS = (
    # Facts about the generation: pack, manifest, content hash, format.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # What each file is about.
    """CREATE TABLE entities (
        id TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, file_path TEXT NOT NULL,
        aliases_json TEXT NOT NULL, tags_json TEXT NOT NULL, attrs_json TEXT NOT NULL
    )""",
    # Which entity of another pack an entity stands for, as it is written: a bare ID may be one of several packs'.
    "CREATE TABLE overrides (entity_id TEXT PRIMARY KEY, target_id TEXT NOT NULL)",
    # The gazetteer: every name and alias, in lower-case words, and how many words it has.
    "CREATE TABLE names (name TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (name, entity_id))",
    # The seed's pack_chunks; title, section and chunk_text are what the keyword indexes read, and all that others than
    # the game master may read. What an author's editor does not show stands in written_text alone (NULL: the same).
    """CREATE TABLE pack_chunks (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pack_id TEXT NOT NULL, entity_id TEXT NOT NULL,
        file_path TEXT NOT NULL, section_path TEXT NOT NULL, title TEXT NOT NULL, section TEXT NOT NULL,
        chunk_text TEXT NOT NULL, role TEXT NOT NULL, line INTEGER NOT NULL, part INTEGER NOT NULL,
        token_count INTEGER NOT NULL, metadata_json TEXT NOT NULL, embedding_id TEXT,
        written_text TEXT, written_tokens INTEGER NOT NULL
    )""",
    "CREATE INDEX chunks_of_entity ON pack_chunks (entity_id, rowid)",
    # Who may read what: the role stands behind the text, which would be read through to get there.
    "CREATE INDEX chunks_of_role ON pack_chunks (role, entity_id)",
    # What a chunk is tied to, for the filter stage.
    "CREATE TABLE links (kind TEXT NOT NULL, value TEXT NOT NULL, chunk INTEGER NOT NULL)",
    "CREATE INDEX links_by_value ON links (kind, value, chunk)",
    "CREATE INDEX links_by_chunk ON links (chunk)",
    # What can be known one by one.
    """CREATE TABLE items (
        id TEXT PRIMARY KEY, chunk INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, line INTEGER NOT NULL,
        trigger TEXT, hint TEXT, condition TEXT
    )""",
    "CREATE INDEX items_of_chunk ON items (chunk)",
    # What is embedded, in the order of the vectors (from 0): a piece of a chunk, or with item_id of one item of it.
    "CREATE TABLE windows (id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, item_id TEXT)",
    # When a chunk, or one item of it, holds: the condition as JSON, and its line in the file.
    "CREATE TABLE conditions (chunk INTEGER NOT NULL, item_id TEXT, condition TEXT NOT NULL, line INTEGER NOT NULL)",
)
