"""What checks look at: the change with both sides, and what its texts say, language by language."""
