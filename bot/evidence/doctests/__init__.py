"""The examples in docstrings of changed modules, run on both sides where the project's own tests do not."""
