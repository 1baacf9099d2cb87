"""The deterministic twins: what each stage of a turn does where no model is asked. Pure functions."""
