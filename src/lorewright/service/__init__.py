"""The world for other programs: what the command line does, offered over the Model Context Protocol."""
