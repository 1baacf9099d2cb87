"""`python -m lorewright` is `lorewright`."""

import os
import sys

# `python -m` puts the working folder first on the import path; nothing in it is to be imported from here on.
if not sys.flags.safe_path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109  pathlib is imported from there, too
    del sys.path[0]

from lorewright.cli import main

main()
