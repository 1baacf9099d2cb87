"""Bounds on what a pack may ask of us. A folder of someone else's files is hostile until it was read."""

MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_FILES = 50_000
MAX_MANIFEST_BYTES = 256 * 1024
MAX_FRONTMATTER_BYTES = 64 * 1024
MAX_YAML_DEPTH = 20
MAX_YAML_NODES = 10_000
MAX_PATH_DEPTH = 40
MAX_NAME_BYTES = 200

# A section longer than this is split at a paragraph end (design: 500 unless configured).
MAX_CHUNK_TOKENS = 500

# What is read all the same, but said: files over a megabyte, sections as long as a short book, more sections than
# anyone will ever look through.
LARGE_FILE_BYTES = 1024 * 1024
LARGE_CHUNK_TOKENS = 20_000
MAX_SECTIONS = 5_000

# An archive may unpack to so much.
MAX_ARCHIVE_BYTES = 256 * 1024 * 1024

# So many groups of words that say the same; each is looked for in every question.
MAX_SYNONYM_GROUPS = 500
