"""Requirements, verdicts, gate and integrity: pure and synchronous."""
