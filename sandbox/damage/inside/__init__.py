"""What runs inside the sandbox, where the text of the tree is read."""
