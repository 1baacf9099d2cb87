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
