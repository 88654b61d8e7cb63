"""What the task asks for by name and nothing has, and what nobody asked for."""
