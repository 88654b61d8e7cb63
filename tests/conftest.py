"""What every test may lean on."""
