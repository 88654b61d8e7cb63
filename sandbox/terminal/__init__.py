"""Carries out one item of a test plan inside the sandbox, in the place of the person who would type.

These files are mounted read-only at /opt/assay/sandbox/terminal and run under the system's
Python 3, so they use the standard library (and Pillow, where pictures are compared). `drive` starts
each command behind a pseudo-terminal, types what the plan says, and compares the files that were
left; the answer goes through the private channel. It keeps other processes out of its memory and
descriptors, so a program under test can print and write what it likes but not answer for us.
"""
