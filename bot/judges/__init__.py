"""Judges that reason over evidence, each with fresh context; they ask models and decide nothing alone.

`material` lays out what a judge may read, `analyst` finds out by acting, `panel` negotiates where no
oracle decides, `deliberation` puts the parts together. What they say becomes a verdict only through
`bot.judges.weighing`.
"""
