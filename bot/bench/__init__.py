"""Judging the judge: on real merges and on copies that were spoiled on purpose."""
