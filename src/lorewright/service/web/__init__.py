"""The service for browsers and programs over HTTP: accounts, tables, the API, the pages."""
