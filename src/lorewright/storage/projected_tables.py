"""The seeds' tables of a world, as a projection of the head's state, and the seeds' other tables as views of ours.

The engine does not read them: they are for reports, for `db check`, and for SQL queries by users. The state is the
truth. The tables change with the head in the same transaction, and can be rebuilt at any time. A column of a seed for
which a state has no value has the seed's default.

projection            one row: the turn of which the tables below are a projection, and the format
entities              persons, places and things
established_facts     the established facts
scene                 the current scene, one row: the place, the entities present, the time, the ruleset's scene state,
                      and the turn order
threads               the open questions of the story, and their progress
clocks                the clocks with their values; their effects are in the campaign's rules
inventory             owner, item, quantity; a place owns what lies in it
scene_relations       trust, tension and closeness, one row for an unordered pair
relationships         relationships between entities, one row for a direction and a kind
characters            everybody with a place or a stat block: profile, stats, inner states, conditions, escalation
observations          the memories of characters, with their in-world minute; their weight is computed, never stored
pending_threats       announced threats that have not happened yet
active_situations     circumstances that hold for a while

facts                 a view: the established facts, and what the player's characters have discovered in the packs
reveals               a view: who learned which item of a pack, in which turn and how, on the path to the head
events                a view: every turn of every branch, as the seed's log of events
turn_events           a view: the steps within the turns, including dice and failed attempts
scenes                a view: the complete states that are stored, each with its turn
summaries             a view: the summaries of the sessions that have ended
rulesets, scenarios   views: the ruleset and scenario of the campaign when it was made
scenario_characters   a view: the player and the scenario's cast, by the names that the scenario gives them
session_characters    a view: the campaign's characters and their roles

In every table `campaign_id` comes first, the rest of the key after it, then the other columns: `INSERT` relies on it.
"""

from __future__ import annotations

_CAMPAIGN = "campaign_id TEXT NOT NULL REFERENCES campaigns(id)"
# The origin of a row, with the seed's columns.
_ORIGIN = "origin TEXT NOT NULL DEFAULT 'campaign', pack_id TEXT"

TABLES = (
    """CREATE TABLE projection (
        campaign_id TEXT NOT NULL PRIMARY KEY REFERENCES campaigns(id), turn_id TEXT NOT NULL, format INTEGER NOT NULL
    )""",
    f"""CREATE TABLE entities (
        {_CAMPAIGN}, id TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, attrs_json TEXT NOT NULL,
        tags TEXT NOT NULL, {_ORIGIN}, pack_entity_id TEXT, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE facts (
        {_CAMPAIGN}, id TEXT NOT NULL, subject_id TEXT NOT NULL, predicate TEXT NOT NULL, object_json TEXT NOT NULL,
        visibility TEXT NOT NULL, confidence REAL NOT NULL, tags TEXT NOT NULL, discovered_turn INTEGER,
        discovery_method TEXT, {_ORIGIN}, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE scene (
        {_CAMPAIGN}, id TEXT NOT NULL, location_id TEXT NOT NULL, present_entity_ids_json TEXT NOT NULL,
        time_json TEXT NOT NULL, constraints_json TEXT NOT NULL DEFAULT '{{}}', visibility_conditions TEXT,
        noise_level TEXT, obscured_entities_json TEXT NOT NULL DEFAULT '[]', turn_order_json TEXT,
        PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE threads (
        {_CAMPAIGN}, id TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL, stakes_json TEXT NOT NULL,
        related_entity_ids_json TEXT NOT NULL, tags TEXT NOT NULL, {_ORIGIN}, progress INTEGER NOT NULL,
        needed INTEGER NOT NULL, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE clocks (
        {_CAMPAIGN}, id TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, max INTEGER NOT NULL,
        tags TEXT NOT NULL, {_ORIGIN}, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE inventory (
        {_CAMPAIGN}, owner_id TEXT NOT NULL, item_id TEXT NOT NULL, qty INTEGER NOT NULL,
        flags_json TEXT NOT NULL DEFAULT '{{}}', PRIMARY KEY (campaign_id, owner_id, item_id)
    )""",
    # `id` is the key of the relation in a state: both ends in their order.
    f"""CREATE TABLE scene_relations (
        {_CAMPAIGN}, id TEXT NOT NULL, character_a_id TEXT NOT NULL, character_b_id TEXT NOT NULL,
        trust INTEGER NOT NULL, tension INTEGER NOT NULL, closeness INTEGER NOT NULL, PRIMARY KEY (campaign_id, id),
        UNIQUE (campaign_id, character_a_id, character_b_id)
    )""",
    f"""CREATE TABLE relationships (
        {_CAMPAIGN}, a_id TEXT NOT NULL, b_id TEXT NOT NULL, rel_type TEXT NOT NULL, intensity INTEGER NOT NULL,
        notes_json TEXT NOT NULL, {_ORIGIN}, PRIMARY KEY (campaign_id, a_id, b_id, rel_type)
    )""",
    # `role` is the seed's: user_persona or npc. `escalation` is how far a character goes against the player, from 0 to
    # 3.
    f"""CREATE TABLE characters (
        {_CAMPAIGN}, id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, base_profile TEXT NOT NULL,
        stat_block TEXT NOT NULL, location_id TEXT, states_json TEXT NOT NULL, conditions_json TEXT NOT NULL,
        failure_streak INTEGER NOT NULL, escalation INTEGER NOT NULL, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE observations (
        {_CAMPAIGN}, character_id TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, importance INTEGER NOT NULL,
        reinforcement_count INTEGER NOT NULL DEFAULT 0, minute INTEGER NOT NULL,
        PRIMARY KEY (campaign_id, character_id, id)
    )""",
    # In-world minutes; a situation without `until` holds until something ends it.
    f"""CREATE TABLE pending_threats (
        {_CAMPAIGN}, id TEXT NOT NULL, since INTEGER NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (campaign_id, id)
    )""",
    f"""CREATE TABLE active_situations (
        {_CAMPAIGN}, id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (campaign_id, id)
    )""",
    "CREATE INDEX idx_entities_type ON entities (type)",
    "CREATE INDEX idx_facts_subject ON facts (subject_id)",
    "CREATE INDEX idx_facts_visibility ON facts (visibility)",
    "CREATE INDEX idx_relationships_a ON relationships (a_id)",
    "CREATE INDEX idx_relationships_b ON relationships (b_id)",
)

VIEWS = (
    # Includes the turns of other branches: `turns.parent_id` is the turn before. The ops contain everything of the
    # seed's StateDiff, and more.
    """CREATE VIEW events AS SELECT t.turn_id AS id, t.campaign_id, t.turn_no, t.player_text AS player_input,
        (SELECT json_extract(r.input_json, '$.packet') FROM stage_records r WHERE r.campaign_id = t.campaign_id
         AND r.turn_id = t.turn_id AND r.stage = 'narrator' ORDER BY r.seq DESC LIMIT 1) AS context_packet_json,
        (SELECT json_group_object(r.stage, json(r.output_json)) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id) AS pass_outputs_json,
        json_extract(t.result_json, '$.engine_events') AS engine_events_json, t.ops_json AS state_diff_json,
        json_extract(t.result_json, '$.final_text') AS final_text
        FROM turns t""",
    # In the order of a turn: the player's words, every stage, every roll, the ops. A failed attempt is on the head from
    # which it started.
    """CREATE VIEW turn_events AS
        SELECT t.turn_id || ':input' AS id, t.campaign_id AS session_id, t.turn_id AS scene_id, t.turn_no AS turn_index,
            0 AS position, 'user_action' AS event_type, 'input' AS step_name, json_quote(t.player_text) AS payload_json,
            NULL AS model_key, t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT t.turn_id || ':stage:' || r.seq, t.campaign_id, t.turn_id, t.turn_no, 1 + r.seq, 'model_output', r.stage,
            r.output_json, r.model_key, t.created_at FROM turns t JOIN stage_records r USING (campaign_id, turn_id)
        UNION ALL
        SELECT t.turn_id || ':roll:' || d.key, t.campaign_id, t.turn_id, t.turn_no, 1000 + d.key, 'tool_call', 'dice',
            d.value, NULL, t.created_at FROM turns t, json_each(t.result_json, '$.rolls') d
        UNION ALL
        SELECT t.turn_id || ':apply', t.campaign_id, t.turn_id, t.turn_no, 2000, 'state_apply', 'engine_apply',
            t.ops_json, NULL, t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT 'attempt:' || a.attempt_no, a.campaign_id, a.head_turn_id, t.turn_no + 1, 3000 + a.attempt_no, 'error',
            a.error_code, json_quote(a.message), NULL, a.created_at
            FROM attempts a JOIN turns t ON t.campaign_id = a.campaign_id AND t.turn_id = a.head_turn_id""",
    """CREATE VIEW scenes AS SELECT t.turn_id AS id, t.campaign_id AS session_id, t.turn_no AS scene_index,
        s.state_json, t.created_at FROM turns t LEFT JOIN world_states s USING (campaign_id, turn_id)""",
    """CREATE VIEW summaries AS SELECT id, campaign_id, 'session' AS scope, id AS scope_id, summary AS text,
        turn_range_start || '-' || coalesce(turn_range_end, turn_range_start) AS turn_no_range
        FROM sessions WHERE summary IS NOT NULL""",
    """CREATE VIEW rulesets AS SELECT ruleset_id AS id, id AS campaign_id,
        json_extract(rules_json, '$.ruleset.name') AS name,
        json_extract(rules_json, '$.ruleset.rulebook_text') AS rulebook_text,
        json_extract(rules_json, '$.ruleset.character_stat_schema') AS character_stat_schema,
        json_extract(rules_json, '$.ruleset.scene_state_schema') AS scene_state_schema,
        json_extract(rules_json, '$.ruleset.mechanics_guidance') AS mechanics_guidance,
        json_extract(rules_json, '$.ruleset.schema_version') AS schema_version, ruleset_hash AS content_hash
        FROM campaigns""",
    """CREATE VIEW scenarios AS SELECT scenario_id AS id, id AS campaign_id, name AS title,
        json_extract(scenario_json, '$.summary') AS summary, ruleset_id,
        json_extract(scenario_json, '$.content_packs') AS content_packs,
        json_extract(scenario_json, '$.scene_seed') AS scene_seed,
        json_extract(scenario_json, '$.stakes') AS stakes, json_extract(scenario_json, '$.goals') AS goals,
        json_extract(scenario_json, '$.tone') AS tone, json_extract(scenario_json, '$.intro_seed') AS intro_seed,
        json_extract(scenario_json, '$.calibration') AS calibration_json,
        json_extract(scenario_json, '$.system') AS system_json,
        json_extract(scenario_json, '$.genre_rules') AS genre_rules_json FROM campaigns""",
    """CREATE VIEW scenario_characters AS
        SELECT c.scenario_id, 'player' AS character_id, c.id AS campaign_id FROM campaigns c
        UNION ALL SELECT c.scenario_id, k.key, c.id FROM campaigns c, json_each(c.scenario_json, '$.cast') k""",
    """CREATE VIEW session_characters AS
        SELECT campaign_id AS session_id, id AS character_id, role FROM characters""",
)

# The views with the versions of prompts, which stage records have later.
VIEWS_WITH_PROMPTS = (
    "DROP VIEW events",
    "DROP VIEW turn_events",
    """CREATE VIEW events AS SELECT t.turn_id AS id, t.campaign_id, t.turn_no, t.player_text AS player_input,
        (SELECT json_extract(r.input_json, '$.packet') FROM stage_records r WHERE r.campaign_id = t.campaign_id
         AND r.turn_id = t.turn_id AND r.stage = 'narrator' ORDER BY r.seq DESC LIMIT 1) AS context_packet_json,
        (SELECT json_group_object(r.stage, json(r.output_json)) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id) AS pass_outputs_json,
        json_extract(t.result_json, '$.engine_events') AS engine_events_json, t.ops_json AS state_diff_json,
        json_extract(t.result_json, '$.final_text') AS final_text,
        (SELECT json_group_object(r.stage, json_extract(r.prompt_json, '$.version')) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id AND r.prompt_json != '{}')
         AS prompt_versions_json
        FROM turns t""",
    """CREATE VIEW turn_events AS
        SELECT t.turn_id || ':input' AS id, t.campaign_id AS session_id, t.turn_id AS scene_id, t.turn_no AS turn_index,
            0 AS position, 'user_action' AS event_type, 'input' AS step_name, json_quote(t.player_text) AS payload_json,
            NULL AS model_key, NULL AS prompt_version, t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT t.turn_id || ':stage:' || r.seq, t.campaign_id, t.turn_id, t.turn_no, 1 + r.seq, 'model_output', r.stage,
            r.output_json, r.model_key, json_extract(r.prompt_json, '$.version'), t.created_at
            FROM turns t JOIN stage_records r USING (campaign_id, turn_id)
        UNION ALL
        SELECT t.turn_id || ':roll:' || d.key, t.campaign_id, t.turn_id, t.turn_no, 1000 + d.key, 'tool_call', 'dice',
            d.value, NULL, NULL, t.created_at FROM turns t, json_each(t.result_json, '$.rolls') d
        UNION ALL
        SELECT t.turn_id || ':apply', t.campaign_id, t.turn_id, t.turn_no, 2000, 'state_apply', 'engine_apply',
            t.ops_json, NULL, NULL, t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT 'attempt:' || a.attempt_no, a.campaign_id, a.head_turn_id, t.turn_no + 1, 3000 + a.attempt_no, 'error',
            a.error_code, json_quote(a.message), NULL, NULL, a.created_at
            FROM attempts a JOIN turns t ON t.campaign_id = a.campaign_id AND t.turn_id = a.head_turn_id""",
)

# The views with the versions of built-in stages, which stage records have later still.
VIEWS_WITH_BUILTIN_VERSIONS = (
    "DROP VIEW events",
    "DROP VIEW turn_events",
    """CREATE VIEW events AS SELECT t.turn_id AS id, t.campaign_id, t.turn_no, t.player_text AS player_input,
        (SELECT json_extract(r.input_json, '$.packet') FROM stage_records r WHERE r.campaign_id = t.campaign_id
         AND r.turn_id = t.turn_id AND r.stage = 'narrator' ORDER BY r.seq DESC LIMIT 1) AS context_packet_json,
        (SELECT json_group_object(r.stage, json(r.output_json)) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id) AS pass_outputs_json,
        json_extract(t.result_json, '$.engine_events') AS engine_events_json, t.ops_json AS state_diff_json,
        json_extract(t.result_json, '$.final_text') AS final_text,
        (SELECT json_group_object(r.stage, json_extract(r.prompt_json, '$.version')) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id AND r.prompt_json != '{}')
         AS prompt_versions_json,
        (SELECT json_group_object(r.stage, r.builtin_version) FROM stage_records r
         WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id AND r.builtin_version IS NOT NULL)
         AS builtin_versions_json
        FROM turns t""",
    """CREATE VIEW turn_events AS
        SELECT t.turn_id || ':input' AS id, t.campaign_id AS session_id, t.turn_id AS scene_id, t.turn_no AS turn_index,
            0 AS position, 'user_action' AS event_type, 'input' AS step_name, json_quote(t.player_text) AS payload_json,
            NULL AS model_key, NULL AS prompt_version, NULL AS builtin_version,
            t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT t.turn_id || ':stage:' || r.seq, t.campaign_id, t.turn_id, t.turn_no, 1 + r.seq, 'model_output', r.stage,
            r.output_json, r.model_key, json_extract(r.prompt_json, '$.version'), r.builtin_version, t.created_at
            FROM turns t JOIN stage_records r USING (campaign_id, turn_id)
        UNION ALL
        SELECT t.turn_id || ':roll:' || d.key, t.campaign_id, t.turn_id, t.turn_no, 1000 + d.key, 'tool_call', 'dice',
            d.value, NULL, NULL, NULL, t.created_at FROM turns t, json_each(t.result_json, '$.rolls') d
        UNION ALL
        SELECT t.turn_id || ':apply', t.campaign_id, t.turn_id, t.turn_no, 2000, 'state_apply', 'engine_apply',
            t.ops_json, NULL, NULL, NULL, t.created_at FROM turns t WHERE t.kind != 'start'
        UNION ALL
        SELECT 'attempt:' || a.attempt_no, a.campaign_id, a.head_turn_id, t.turn_no + 1, 3000 + a.attempt_no, 'error',
            a.error_code, json_quote(a.message), NULL, NULL, NULL, a.created_at
            FROM attempts a JOIN turns t ON t.campaign_id = a.campaign_id AND t.turn_id = a.head_turn_id""",
)

# Facts as a view, with what was discovered; and views in which a stage that ran several times has an array.
_FACTS = """id TEXT NOT NULL, subject_id TEXT NOT NULL, predicate TEXT NOT NULL, object_json TEXT NOT NULL,
        visibility TEXT NOT NULL, confidence REAL NOT NULL, tags TEXT NOT NULL, discovered_turn INTEGER,
        discovery_method TEXT"""
_OF_THE_TURN = "r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id"

DISCOVERIES = (
    # A projection: it is made anew when the file is opened next.
    "DROP TABLE facts",
    f"CREATE TABLE established_facts ({_CAMPAIGN}, {_FACTS}, {_ORIGIN}, PRIMARY KEY (campaign_id, id))",
    "CREATE INDEX idx_facts_subject ON established_facts (subject_id)",
    "CREATE INDEX idx_facts_visibility ON established_facts (visibility)",
    "CREATE INDEX idx_turns_number ON turns (campaign_id, turn_no)",
    # The first time that somebody learned an item. What they knew from the start stands in the state of the root.
    """CREATE VIEW reveals AS
        WITH RECURSIVE path(campaign_id, turn_id, turn_no, parent_id, ops_json) AS (
            SELECT t.campaign_id, t.turn_id, t.turn_no, t.parent_id, t.ops_json FROM campaigns c
                JOIN turns t ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id
            UNION ALL
            SELECT t.campaign_id, t.turn_id, t.turn_no, t.parent_id, t.ops_json FROM path
                JOIN turns t ON t.campaign_id = path.campaign_id AND t.turn_id = path.parent_id
        ), learned(campaign_id, character_id, item_id, turn_id, turn_no, how) AS (
            SELECT path.campaign_id, json_extract(o.value, '$.to'), json_extract(o.value, '$.item_id'), path.turn_id,
                path.turn_no, json_extract(o.value, '$.how') FROM path, json_each(path.ops_json) o
                WHERE json_extract(o.value, '$.op') = 'reveal'
            UNION ALL
            SELECT path.campaign_id, who.key, item.key, path.turn_id, path.turn_no, json_extract(item.value, '$.how')
                FROM path JOIN world_states s ON s.campaign_id = path.campaign_id AND s.turn_id = path.turn_id,
                json_each(s.state_json, '$.reveals') who, json_each(who.value) item WHERE path.parent_id IS NULL
        )
        SELECT campaign_id, character_id, item_id, min(turn_no) AS discovered_turn, how AS discovery_method, turn_id,
            substr(item_id, 1, instr(item_id || '#', '#') - 1) AS source_chunk_id,
            substr(item_id, 1, instr(item_id, ':') - 1) AS pack_id,
            substr(item_id, 1, instr(item_id, ':') + instr(substr(item_id, instr(item_id, ':') + 1), ':') - 1)
            AS subject_id
            FROM learned GROUP BY campaign_id, character_id, item_id""",
    """CREATE VIEW facts AS
        SELECT campaign_id, id, subject_id, predicate, object_json, visibility, confidence, tags, discovered_turn,
            discovery_method, origin, pack_id, NULL AS source_chunk_id FROM established_facts
        UNION ALL
        SELECT campaign_id, 'reveal:' || item_id, subject_id, substr(source_chunk_id, length(subject_id) + 2),
            json_object('item', item_id), 'player', 1.0, '["reveal"]', min(discovered_turn), discovery_method, 'pack',
            pack_id, source_chunk_id FROM reveals JOIN characters ch USING (campaign_id)
            WHERE ch.id = character_id AND ch.role = 'user_persona' GROUP BY campaign_id, item_id""",
    "DROP VIEW events",
    f"""CREATE VIEW events AS SELECT t.turn_id AS id, t.campaign_id, t.turn_no, t.player_text AS player_input,
        (SELECT json_extract(r.input_json, '$.packet') FROM stage_records r WHERE {_OF_THE_TURN}
         AND r.stage = 'narrator' ORDER BY r.seq DESC LIMIT 1) AS context_packet_json,
        (SELECT json_group_object(stage, json(outputs)) FROM
         (SELECT stage, CASE count(*) WHEN 1 THEN output_json ELSE json_group_array(json(output_json)) END AS outputs
          FROM (SELECT r.stage, r.output_json FROM stage_records r WHERE {_OF_THE_TURN} ORDER BY r.seq)
          GROUP BY stage)) AS pass_outputs_json,
        json_extract(t.result_json, '$.engine_events') AS engine_events_json, t.ops_json AS state_diff_json,
        json_extract(t.result_json, '$.final_text') AS final_text,
        (SELECT json_group_object(stage, version) FROM
         (SELECT r.stage, json_extract(r.prompt_json, '$.version') AS version, max(r.seq) FROM stage_records r
          WHERE {_OF_THE_TURN} AND r.prompt_json != '{{}}' GROUP BY r.stage)) AS prompt_versions_json,
        (SELECT json_group_object(stage, version) FROM
         (SELECT r.stage, r.builtin_version AS version, max(r.seq) FROM stage_records r
          WHERE {_OF_THE_TURN} AND r.builtin_version IS NOT NULL GROUP BY r.stage)) AS builtin_versions_json
        FROM turns t""",
    "DROP VIEW scenes",
    """CREATE VIEW scenes AS SELECT t.turn_id AS id, t.campaign_id AS session_id, t.turn_no AS scene_index,
        s.state_json, t.created_at FROM turns t JOIN world_states s USING (campaign_id, turn_id)""",
    # A decision on a flagged entry of the lorebook holds on the branches of its turn.
    """CREATE TABLE lorebook_decisions (
        campaign_id TEXT NOT NULL, turn_id TEXT NOT NULL, entry_turn_id TEXT NOT NULL, entry_no INTEGER NOT NULL,
        decision TEXT NOT NULL, PRIMARY KEY (campaign_id, turn_id, entry_turn_id, entry_no),
        FOREIGN KEY (campaign_id, turn_id) REFERENCES turns(campaign_id, turn_id),
        FOREIGN KEY (campaign_id, entry_turn_id, entry_no) REFERENCES lorebook(campaign_id, turn_id, entry_no)
    )""",
)

# What was known when the campaign began: the view of what is known reads it, and the first state may be packed.
FIRST_REVEALS = """INSERT INTO first_reveals
    SELECT s.campaign_id, who.key, item.key, json_extract(item.value, '$.how')
    FROM turns t JOIN (SELECT campaign_id, turn_id, text_of(state_json) AS state FROM world_states) s
    USING (campaign_id, turn_id), json_each(CASE WHEN json_valid(s.state) THEN s.state ELSE '{}' END, '$.reveals') who,
    json_each(who.value) item WHERE t.parent_id IS NULL"""

# The views of a file whose long texts may be packed: those with `text_of`, which other programs do not have, are about
# what only this program reads. For facts and reveals nothing is unpacked.
VIEWS_OF_PACKED_TEXTS = (
    "DROP VIEW events",
    f"""CREATE VIEW events AS SELECT t.turn_id AS id, t.campaign_id, t.turn_no, t.player_text AS player_input,
        (SELECT json_extract(text_of(r.input_json), '$.packet') FROM stage_records r WHERE {_OF_THE_TURN}
         AND r.stage = 'narrator' ORDER BY r.seq DESC LIMIT 1) AS context_packet_json,
        (SELECT json_group_object(stage, json(outputs)) FROM
         (SELECT stage, CASE count(*) WHEN 1 THEN output_json ELSE json_group_array(json(output_json)) END AS outputs
          FROM (SELECT r.stage, r.output_json FROM stage_records r WHERE {_OF_THE_TURN} ORDER BY r.seq)
          GROUP BY stage)) AS pass_outputs_json,
        json_extract(t.result_json, '$.engine_events') AS engine_events_json, t.ops_json AS state_diff_json,
        json_extract(t.result_json, '$.final_text') AS final_text,
        (SELECT json_group_object(stage, version) FROM
         (SELECT r.stage, json_extract(r.prompt_json, '$.version') AS version, max(r.seq) FROM stage_records r
          WHERE {_OF_THE_TURN} AND r.prompt_json != '{{}}' GROUP BY r.stage)) AS prompt_versions_json,
        (SELECT json_group_object(stage, version) FROM
         (SELECT r.stage, r.builtin_version AS version, max(r.seq) FROM stage_records r
          WHERE {_OF_THE_TURN} AND r.builtin_version IS NOT NULL GROUP BY r.stage)) AS builtin_versions_json
        FROM turns t""",
    "DROP VIEW scenes",
    """CREATE VIEW scenes AS SELECT t.turn_id AS id, t.campaign_id AS session_id, t.turn_no AS scene_index,
        text_of(s.state_json) AS state_json, t.created_at
        FROM turns t JOIN world_states s USING (campaign_id, turn_id)""",
    "DROP VIEW reveals",
    """CREATE VIEW reveals AS
        WITH RECURSIVE path(campaign_id, turn_id, turn_no, parent_id, ops_json) AS (
            SELECT t.campaign_id, t.turn_id, t.turn_no, t.parent_id, t.ops_json FROM campaigns c
                JOIN turns t ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id
            UNION ALL
            SELECT t.campaign_id, t.turn_id, t.turn_no, t.parent_id, t.ops_json FROM path
                JOIN turns t ON t.campaign_id = path.campaign_id AND t.turn_id = path.parent_id
        ), learned(campaign_id, character_id, item_id, turn_id, turn_no, how) AS (
            SELECT path.campaign_id, json_extract(o.value, '$.to'), json_extract(o.value, '$.item_id'), path.turn_id,
                path.turn_no, json_extract(o.value, '$.how') FROM path, json_each(path.ops_json) o
                WHERE json_extract(o.value, '$.op') = 'reveal'
            UNION ALL
            SELECT f.campaign_id, f.character_id, f.item_id, path.turn_id, path.turn_no, f.how FROM path
                JOIN first_reveals f USING (campaign_id) WHERE path.parent_id IS NULL
        )
        SELECT campaign_id, character_id, item_id, min(turn_no) AS discovered_turn, how AS discovery_method, turn_id,
            substr(item_id, 1, instr(item_id || '#', '#') - 1) AS source_chunk_id,
            substr(item_id, 1, instr(item_id, ':') - 1) AS pack_id,
            substr(item_id, 1, instr(item_id, ':') + instr(substr(item_id, instr(item_id, ':') + 1), ':') - 1)
            AS subject_id
            FROM learned GROUP BY campaign_id, character_id, item_id""",
    "DROP VIEW rulesets",
    """CREATE VIEW rulesets AS SELECT ruleset_id AS id, id AS campaign_id,
        json_extract(rules, '$.ruleset.name') AS name,
        json_extract(rules, '$.ruleset.rulebook_text') AS rulebook_text,
        json_extract(rules, '$.ruleset.character_stat_schema') AS character_stat_schema,
        json_extract(rules, '$.ruleset.scene_state_schema') AS scene_state_schema,
        json_extract(rules, '$.ruleset.mechanics_guidance') AS mechanics_guidance,
        json_extract(rules, '$.ruleset.schema_version') AS schema_version, ruleset_hash AS content_hash
        FROM (SELECT id, ruleset_id, ruleset_hash, text_of(rules_json) AS rules FROM campaigns)""",
    "DROP VIEW scenarios",
    """CREATE VIEW scenarios AS SELECT scenario_id AS id, id AS campaign_id, name AS title,
        json_extract(scenario, '$.summary') AS summary, ruleset_id,
        json_extract(scenario, '$.content_packs') AS content_packs,
        json_extract(scenario, '$.scene_seed') AS scene_seed,
        json_extract(scenario, '$.stakes') AS stakes,
        json_extract(scenario, '$.goals') AS goals,
        json_extract(scenario, '$.tone') AS tone,
        json_extract(scenario, '$.intro_seed') AS intro_seed,
        json_extract(scenario, '$.calibration') AS calibration_json,
        json_extract(scenario, '$.system') AS system_json,
        json_extract(scenario, '$.genre_rules') AS genre_rules_json
        FROM (SELECT id, scenario_id, name, ruleset_id, text_of(scenario_json) AS scenario FROM campaigns)""",
    "DROP VIEW scenario_characters",
    """CREATE VIEW scenario_characters AS
        SELECT c.scenario_id, 'player' AS character_id, c.id AS campaign_id FROM campaigns c
        UNION ALL SELECT c.scenario_id, k.key, c.id
        FROM campaigns c, json_each(text_of(c.scenario_json), '$.cast') k""",
)
