"""What runs inside the sandbox, where the text of the tree is read."""

MOST_BYTES = 500_000
"""Of one file: longer ones are not damaged."""
