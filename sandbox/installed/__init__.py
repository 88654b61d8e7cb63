"""Uses a package as its users have it: by itself, without the tree and what only the tests bring."""
