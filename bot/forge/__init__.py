"""A small GitHub-compatible server for the demo and the tests."""
