"""A small GitHub-compatible server for the demo and the tests; never for production.

It speaks GitHub's REST and GraphQL where Assay uses them (addresses as on GitHub Enterprise: `/api/v3`,
`/api/graphql`), serves git over HTTP, sends signed webhooks once, and shows plain pages of pull requests.
`python -m bot.demo.forge --state DIR --port N` starts it; `operator.ForgeOperator` sets it up.
"""
