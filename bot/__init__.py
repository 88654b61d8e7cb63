"""Decides and talks: every package in the order in which a delivery flows through them.

web            checks a webhook's signature, stores the delivery, serves pages
queue          makes jobs durable: what a dead worker left goes on
webhook        turns a delivery into a decision, and a decision into deeds
evaluation     judges one request, one file a stage
source         where code comes from and where answers go
configuration  what the target branch's `.github/assay.yml` says
task           what was asked: requirements, permissions, ties to tests, rubrics
diff           what a change is made of, and what kind of change it is
evidence       what is looked at on both sides: one folder a kind
integrity      whether tests were weakened or results made up
verdict        a verdict for each requirement, and one conclusion
judges         models that read, analyse and weigh; their endpoint; their look-ups on the web
report         one view, as Markdown, HTML, PDF, JSON and SARIF
github, store  the adapters: GitHub's API; records and artifacts
values, text   what all of this speaks in; hostile text made harmless
commands       one module a subcommand of `assay`, which wires; doctor, demo and bench beside it
"""
