"""The leak suite: what packs keep secret, held against everything that anybody who may not know it is shown."""
