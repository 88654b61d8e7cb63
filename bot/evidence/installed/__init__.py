"""What users install: the package alone, loaded on both sides without the tree and what only tests bring."""
