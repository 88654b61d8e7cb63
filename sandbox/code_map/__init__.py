"""What source files define, use and import: read by tree-sitter inside the sandbox, kept by content."""
