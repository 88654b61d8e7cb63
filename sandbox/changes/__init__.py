"""What kind of change a file went through: words, layout, types, or what the program does."""
