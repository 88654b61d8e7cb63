"""What was asked: the texts of a task become requirements, permissions and ties to tests: pure."""
