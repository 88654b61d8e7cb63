"""Assay for coding agents, by the Model Context Protocol: judge a work tree, and read what was found."""
