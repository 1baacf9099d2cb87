"""The values that a turn hands on, to the next stage and to the store: messages, records, intents, results."""
