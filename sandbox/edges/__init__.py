"""Code at its edges: functions called with what a test seldom gives them."""
