"""Everything said to GitHub; the only place that imports githubkit."""
