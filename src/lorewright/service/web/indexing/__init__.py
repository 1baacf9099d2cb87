"""Installing packs in processes of their own, on any machine that reaches the database: the jobs, and who does them."""
