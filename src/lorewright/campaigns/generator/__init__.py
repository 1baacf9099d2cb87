"""Scenarios made from packs: ground → outline (by a model or by seed) → errand → scenario, played once before it is kept."""
