"""Pages in a real browser, inside the sandbox: pictures, errors, controls, and scripts of acts.

`pages` finds what can be opened, `script` reads the acts of a configuration, `journey` runs one
browser for all of it, `records` reads what came back and trusts none of it, `png` makes a picture
safe to keep, `telling` turns it into observations. `inside/` is what runs within the sandbox: JavaScript,
because Playwright brings its own Node, so that no Python of the machine or image must fit.
"""
