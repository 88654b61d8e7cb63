"""GitHub's own descriptions, held against every exchange with the forge."""
