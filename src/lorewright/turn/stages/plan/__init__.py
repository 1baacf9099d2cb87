"""The stage `plan`: What a scene is about next."""
