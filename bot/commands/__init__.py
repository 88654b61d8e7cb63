"""One file a subcommand of `assay`; these and wsgi.py are the only places that wire."""
