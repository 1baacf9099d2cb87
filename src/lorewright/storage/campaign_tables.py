"""The tables of a campaign's file. Keys are (campaign_id, id), so that one database could hold many campaigns.

campaigns          one row: its origin, its rules, its head and its revision
pack_pins          the texts of packs from which it was made
upgrades           the rules that hold from a turn on, and upgrade_pins the texts: the nearest upgrade on the path from
                   the head to the root holds, without one the campaign's own
turns              the tree of turns: parent, ops, the hash of the state after it, the stored result, the session
world_states       complete states, of the head, of branch points and of every 25th turn; others are rebuilt from ops
branches           names of heads: of the current branch, and of those rolled back or begun from an earlier turn
undone             the undone turns that can be redone from the head, the newest on top
actions            the attempted actions of a turn
validation_results the verdict on each action
messages           the stream
stage_records      every stage's input and output
attempts           failed submissions, with their stage records; no other table refers to them
sessions           the sessions, as in the seed, with the turns after which they began and with which they ended
scene_lore         the packs' lore on a scene, secrets included, stored while the scene lasts; it can be gathered again

The other tables of the seeds' schemas are in `projected_tables.py`: tables of the head's state, and views.
docs/database.md says where every column of the seeds is.
"""

from __future__ import annotations

from lorewright.storage.projected_tables import (
    DISCOVERIES,
    FIRST_REVEALS,
    TABLES,
    VIEWS,
    VIEWS_OF_PACKED_TEXTS,
    VIEWS_WITH_BUILTIN_VERSIONS,
    VIEWS_WITH_PROMPTS,
)
from lorewright.storage.tables import Migration

CAMPAIGN_MIGRATIONS = (
    Migration(
        "campaign_001_first_turn",
        (
            # The head is a committed turn; `revision` only grows, so that a head that is set again is noticed.
            """CREATE TABLE campaigns (
                id TEXT PRIMARY KEY, name TEXT NOT NULL, scenario_id TEXT NOT NULL, scenario_json TEXT NOT NULL,
                rules_json TEXT NOT NULL, ruleset_id TEXT NOT NULL, ruleset_hash TEXT NOT NULL, seed INTEGER NOT NULL,
                small_model_key TEXT NOT NULL DEFAULT 'builtin', large_model_key TEXT NOT NULL DEFAULT 'builtin',
                head_turn_id TEXT NOT NULL, revision INTEGER NOT NULL, current_turn INTEGER NOT NULL,
                created_at TEXT NOT NULL, updated_at TEXT NOT NULL
            )""",
            # The texts are stored next to the campaigns, in files named by their hashes.
            """CREATE TABLE pack_pins (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), pack_id TEXT NOT NULL, version TEXT NOT NULL,
                content_hash TEXT NOT NULL, PRIMARY KEY (campaign_id, pack_id)
            )""",
            # `request_hash` distinguishes a repeated submission from another with the same action ID.
            """CREATE TABLE turns (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, turn_no INTEGER NOT NULL, parent_id TEXT,
                kind TEXT NOT NULL, user_action_id TEXT NOT NULL, request_hash TEXT NOT NULL, player_text TEXT NOT NULL,
                ops_json TEXT NOT NULL, state_hash TEXT NOT NULL, result_json TEXT NOT NULL, created_at TEXT NOT NULL,
                PRIMARY KEY (campaign_id, turn_id), UNIQUE (campaign_id, user_action_id),
                FOREIGN KEY (campaign_id, parent_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE world_states (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, state_json TEXT NOT NULL,
                PRIMARY KEY (campaign_id, turn_id),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE actions (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, action_index INTEGER NOT NULL, actor_id TEXT NOT NULL,
                type TEXT NOT NULL, target_id TEXT, location_id TEXT, metadata_json TEXT NOT NULL,
                PRIMARY KEY (campaign_id, turn_id, action_index),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE validation_results (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, action_index INTEGER NOT NULL,
                success INTEGER NOT NULL, reason TEXT, message TEXT,
                PRIMARY KEY (campaign_id, turn_id, action_index),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE messages (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, seq INTEGER NOT NULL, owner TEXT NOT NULL,
                type TEXT NOT NULL, subtype TEXT, content TEXT NOT NULL, payload_json TEXT NOT NULL,
                audience_json TEXT NOT NULL, PRIMARY KEY (campaign_id, turn_id, seq),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE stage_records (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, seq INTEGER NOT NULL, stage TEXT NOT NULL,
                input_json TEXT NOT NULL, output_json TEXT NOT NULL, model_key TEXT NOT NULL, model_name TEXT NOT NULL,
                attempts_json TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
                PRIMARY KEY (campaign_id, turn_id, seq),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE attempts (
                attempt_no INTEGER PRIMARY KEY AUTOINCREMENT, campaign_id TEXT NOT NULL, user_action_id TEXT NOT NULL,
                player_text TEXT NOT NULL, head_turn_id TEXT NOT NULL, error_code TEXT NOT NULL, message TEXT NOT NULL,
                records_json TEXT NOT NULL, created_at TEXT NOT NULL
            )""",
        ),
    ),
    Migration(
        "campaign_002_sittings",
        (
            # `start_turn_id` is the head at which a session began, `end_turn_id` its last turn: either may be
            # on an abandoned branch.
            """CREATE TABLE sessions (
                id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL REFERENCES campaigns(id), started_at TEXT NOT NULL,
                ended_at TEXT, turn_range_start INTEGER, turn_range_end INTEGER,
                session_lore_json TEXT NOT NULL DEFAULT '{}', summary TEXT,
                world_events_pending TEXT NOT NULL DEFAULT '[]',
                start_turn_id TEXT NOT NULL, end_turn_id TEXT,
                FOREIGN KEY (campaign_id, start_turn_id) REFERENCES turns(campaign_id, turn_id),
                FOREIGN KEY (campaign_id, end_turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            "CREATE INDEX idx_sessions_campaign ON sessions (campaign_id)",
            # A program may play turns outside of any session.
            "ALTER TABLE turns ADD COLUMN session_id TEXT REFERENCES sessions(id)",
            # 1 if no scene's lore had to be gathered completely in the turn; NULL if that was not recorded.
            "ALTER TABLE turns ADD COLUMN lore_cached INTEGER",
            """CREATE TABLE undone (
                campaign_id TEXT NOT NULL, position INTEGER NOT NULL, turn_id TEXT NOT NULL,
                PRIMARY KEY (campaign_id, position),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE scene_lore (
                id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL REFERENCES campaigns(id), scene_id TEXT NOT NULL,
                session_id TEXT REFERENCES sessions(id), lore_json TEXT NOT NULL, retrieved_at TEXT NOT NULL
            )""",
            "CREATE INDEX idx_scene_lore_scene ON scene_lore (scene_id)",
        ),
    ),
    Migration(
        "campaign_003_branches",
        (
            # The current branch has a row too; its head is the campaign's, and both move in one transaction.
            """CREATE TABLE branches (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), name TEXT NOT NULL, head_turn_id TEXT NOT NULL,
                created_at TEXT NOT NULL, PRIMARY KEY (campaign_id, name),
                FOREIGN KEY (campaign_id, head_turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            "ALTER TABLE campaigns ADD COLUMN branch TEXT NOT NULL DEFAULT 'main'",
            "INSERT INTO branches SELECT id, branch, head_turn_id, created_at FROM campaigns",
        ),
    ),
    # Filled when the file is opened next, because SQL cannot read the state from which their rows are made.
    Migration("campaign_004_projection", (*TABLES, *VIEWS)),
    Migration(
        "campaign_005_upgrades",
        (
            """CREATE TABLE upgrades (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, rules_json TEXT NOT NULL, ruleset_id TEXT NOT NULL,
                ruleset_hash TEXT NOT NULL, prompts_json TEXT NOT NULL DEFAULT '{}',
                PRIMARY KEY (campaign_id, turn_id),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE upgrade_pins (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, pack_id TEXT NOT NULL, version TEXT NOT NULL,
                content_hash TEXT NOT NULL, PRIMARY KEY (campaign_id, turn_id, pack_id),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES upgrades(campaign_id, turn_id)
            )""",
        ),
    ),
    Migration(
        "campaign_006_models",
        (
            # The answers of `session zero`, and the paid models that may be used without asking again.
            "ALTER TABLE campaigns ADD COLUMN calibration_json TEXT NOT NULL DEFAULT '{}'",
            "ALTER TABLE campaigns ADD COLUMN agreed_keys_json TEXT NOT NULL DEFAULT '[]'",
            # NULL if a session uses the campaign's.
            "ALTER TABLE sessions ADD COLUMN small_model_key TEXT",
            "ALTER TABLE sessions ADD COLUMN large_model_key TEXT",
            "ALTER TABLE stage_records ADD COLUMN provider TEXT NOT NULL DEFAULT 'builtin'",
            "ALTER TABLE stage_records ADD COLUMN prompt_json TEXT NOT NULL DEFAULT '{}'",
            "ALTER TABLE stage_records ADD COLUMN cost_microusd INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE stage_records ADD COLUMN calls_json TEXT NOT NULL DEFAULT '[]'",
            "ALTER TABLE attempts ADD COLUMN session_id TEXT REFERENCES sessions(id)",
            # The text of every prompt that a model was sent, each once.
            """CREATE TABLE prompt_texts (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), content_hash TEXT NOT NULL, name TEXT NOT NULL,
                version TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (campaign_id, content_hash)
            )""",
            """CREATE TABLE prompt_pins (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), name TEXT NOT NULL, version TEXT NOT NULL,
                content_hash TEXT NOT NULL, PRIMARY KEY (campaign_id, name)
            )""",
            # Model calls outside of turns: a recap.
            """CREATE TABLE model_calls (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), call_no INTEGER NOT NULL,
                session_id TEXT REFERENCES sessions(id), stage TEXT NOT NULL, record_json TEXT NOT NULL,
                created_at TEXT NOT NULL, PRIMARY KEY (campaign_id, call_no)
            )""",
            *VIEWS_WITH_PROMPTS,
        ),
    ),
    Migration(
        "campaign_007_characters",
        (
            # The fields of a submission other than its words: speaker, thoughts, addressees.
            "ALTER TABLE turns ADD COLUMN submission_json TEXT NOT NULL DEFAULT '{}'",
            """CREATE TABLE story_summaries (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, from_turn_no INTEGER NOT NULL,
                to_turn_no INTEGER NOT NULL, sentences_json TEXT NOT NULL, PRIMARY KEY (campaign_id, turn_id),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE lorebook (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, entry_no INTEGER NOT NULL, subject_id TEXT NOT NULL,
                predicate TEXT NOT NULL, detail TEXT NOT NULL, confidence REAL NOT NULL, fact_id TEXT, flag TEXT,
                against TEXT, PRIMARY KEY (campaign_id, turn_id, entry_no),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """CREATE TABLE reviews (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, review_no INTEGER NOT NULL, stage TEXT NOT NULL,
                kind TEXT NOT NULL, subject_id TEXT NOT NULL, ops_json TEXT NOT NULL, shown TEXT NOT NULL,
                confidence REAL NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (campaign_id, turn_id, review_no),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            # A decision holds on the branches of its turn; on others the review is still open.
            """CREATE TABLE review_decisions (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, review_turn_id TEXT NOT NULL,
                review_no INTEGER NOT NULL, decision TEXT NOT NULL,
                PRIMARY KEY (campaign_id, turn_id, review_turn_id, review_no),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id),
                FOREIGN KEY (campaign_id, review_turn_id, review_no)
                    REFERENCES reviews(campaign_id, turn_id, review_no)
            )""",
        ),
    ),
    Migration(
        "campaign_008_builtin_versions",
        (
            # NULL where no built-in stage took part. In records made before this migration it is NULL everywhere, and
            # stands for the first version.
            "ALTER TABLE stage_records ADD COLUMN builtin_version INTEGER",
            *VIEWS_WITH_BUILTIN_VERSIONS,
        ),
    ),
    Migration("campaign_009_discoveries", DISCOVERIES),
    Migration(
        "campaign_010_hashes",
        (
            # What was told is never changed. `hash_of_texts` is a function of ours: see storage/database.py. Of turns
            # from before this migration what is there counts as right.
            """CREATE TABLE turn_hashes (
                campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, hash TEXT NOT NULL,
                PRIMARY KEY (campaign_id, turn_id),
                FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id)
            )""",
            """INSERT INTO turn_hashes SELECT campaign_id, turn_id, hash_of_texts(player_text, ops_json, result_json)
                FROM turns ORDER BY rowid""",
        ),
    ),
    Migration(
        "campaign_011_packing",
        (
            # From here on long texts may be BLOBs: see storage/packed_texts.py. What is there stays as it is, so that
            # a long story is opened at once; an import of its export packs it.
            """CREATE TABLE stage_keys (
                key_no INTEGER PRIMARY KEY, campaign_id TEXT NOT NULL REFERENCES campaigns(id), stage TEXT NOT NULL,
                input BLOB NOT NULL
            )""",
            """CREATE TABLE first_reveals (
                campaign_id TEXT NOT NULL REFERENCES campaigns(id), character_id TEXT NOT NULL, item_id TEXT NOT NULL,
                how TEXT
            )""",
            FIRST_REVEALS,
            *VIEWS_OF_PACKED_TEXTS,
            # Tables of a few dozen rows, or of one campaign: each index took a page, and nothing was found faster.
            "DROP INDEX idx_entities_type",
            "DROP INDEX idx_facts_subject",
            "DROP INDEX idx_facts_visibility",
            "DROP INDEX idx_relationships_a",
            "DROP INDEX idx_relationships_b",
            "DROP INDEX idx_sessions_campaign",
            "DROP INDEX idx_scene_lore_scene",
        ),
    ),
)
