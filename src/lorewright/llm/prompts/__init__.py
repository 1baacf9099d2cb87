"""Prompts as files: templates, the library that they are found in, and what is wrong with one."""
