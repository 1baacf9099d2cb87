"""What authors use on their packs: golden queries, coverage, links, the leak suite, watching, statistics, pages."""
