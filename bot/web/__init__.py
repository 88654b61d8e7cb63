"""Flask: webhook intake, pages, set-up."""
