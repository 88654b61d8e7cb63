"""Where requests come from and answers go to: GitHub with the App, a public pull request, a folder."""
