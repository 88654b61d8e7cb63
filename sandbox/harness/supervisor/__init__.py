"""Runs test programs of a tree that nobody trusts, and tells the host what they proved.

For every language but Python and Node the tested code stands in programs of its own, so the *supervisor*
(this package) runs beside it: a process that holds the channel to the host, cannot be traced, never
loads a line of the tree and starts everything else. Each step's processes are dead, daemons included,
before anything that they wrote is read and before the next step starts. Python >= 3.8, standard library.

What counts. A test passes when an exit code seen by the supervisor, or by a runner outside the tested
process, says so *and* the runner's account names exactly the tests that were listed before, each once.
Printed lines alone never make a pass: a second or unlisted result is a contradiction. Where one run of
many tests fails or contradicts itself, every test runs again in a process of its own, and the worse
of both counts; a test without an account of its own end is an error.

- *Go*: a test binary also writes its test log to an unguessable place, complete only when the run went
  through its end, so `os.Exit(0)` and `syscall.Exit(0)` do not pass; a control test that must fail is
  compiled into every package, so a `TestMain` that swallows failures is seen.
- *Rust*: libtest's log file, likewise; `process::exit(0)` leaves it without the test's line.
- *CTest, bats*: the runner is another process than the test; its exit code is the word.
- *Java*: a runner of ours reports at a place and under a key that come by standard input, a pipe that
  is read empty before any test loads; `System.exit` leaves the report without an end.
- *make and scripts*: one exit code for a program, and TAP where it is printed; a torn stream is no
  success. An `exit(0)` out of tested C code (make, CTest) or a sourced script is seen, see `exits.py`.

What this cannot do. In Go, Rust, C and Java the tested code shares a process with the one that reports on
it: code that looks for the log's name among its own arguments, or patches the reporting code in
memory, can write a whole forged account. In make and scripts, TAP *is* what the program prints: a
program that prints a full plan with made-up points and ends well cannot be told from an honest one.
Who may change the Makefile may change what "test" means; therefore base's tests run with base's Makefile
where what it says of tests was edited. All tests of a run share one copy of the tree, so code that is
tested first can rewrite the file of a script or bats test that comes later. Such a patch shows in the
diff; the supervisor makes sure that nothing shorter works.
"""

from __future__ import annotations
