"""Scenarios made from packs: ground → outline (a model's or by seed) → errand → scenario, played before it is kept."""
