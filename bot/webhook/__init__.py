"""From a webhook to decisions, purely; and, in `handle`, from decisions to deeds.

One file per feature, its handlers named as past events; `events` ends with their table.
"""
