"""Generations in object storage: pushed once, fetched by every worker that lacks them, compared byte by byte."""
