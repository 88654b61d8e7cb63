"""Shows people what stands in a tree: lines that match, a file by its lines, a document as text."""
