"""A campaign's turns and states, as they are kept."""
