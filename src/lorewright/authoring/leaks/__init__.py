"""The leak suite: the secrets of packs, looked for in everything that is shown to those who may not know them."""
