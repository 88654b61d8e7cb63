"""One view model, rendered to Markdown, HTML, PDF and JSON.

shown = view(evaluation)                                  # bot.report.view
markdown(shown, link), html(shown), machine(shown)        # the comment, the page, the machine's door
await pdf(sandbox, html(shown), chromium)                 # the page on paper
check_summary(shown, link), annotate(shown, diff)         # bot.report.checks
"""
