"""`python -m lorewright` is `lorewright`."""

from lorewright.cli import main

main()
