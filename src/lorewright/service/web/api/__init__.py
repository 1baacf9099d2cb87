"""The API under `/v1`."""
