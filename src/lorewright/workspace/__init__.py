"""A workspace as its owner handles it: packs, scenarios, schemas, health."""
