"""Pages in a real browser, inside the sandbox: pictures, errors, controls, and scripts of acts.

`pages` finds what can be opened, `script` reads the acts of a configuration, `journey` runs one
browser for all of it, `records` reads what came back, trusts none of it and makes its pictures safe
to keep. `inside/` is what runs within the sandbox: JavaScript, because Playwright brings its own
Node, so that no Python of the machine or image must fit.
"""
