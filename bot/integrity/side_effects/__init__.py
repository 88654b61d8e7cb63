"""What a change does beside what is asked: what it reaches, drops or no longer guards."""
