"""What a change is made of: its files, its lines, and what kind of change it is: pure."""
