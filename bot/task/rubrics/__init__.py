"""Rubrics from the draft to the verdict: the form people edit, files on base, what counts for a task."""
