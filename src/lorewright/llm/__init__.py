"""Models behind one small protocol: a request with a schema in, validated data out, every attempt on record."""
