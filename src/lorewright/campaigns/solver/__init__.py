"""A scenario's rules and packs, and a state -> lines to type that lead to a goal; searched on states alone, no turn is
played."""
