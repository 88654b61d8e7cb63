"""The API for agents, `/api/v1`: send a patch, watch it being judged, read what to repair."""
