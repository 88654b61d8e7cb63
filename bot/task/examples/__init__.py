"""Reads what a task shows by example: sentences, sessions, code with comments, command lines."""
