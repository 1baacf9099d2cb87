"""What tests share: small packs and workspaces, players, servers on loopback, and strategies."""
