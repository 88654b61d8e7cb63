"""What runs in a process of its own, with nothing but its input."""
