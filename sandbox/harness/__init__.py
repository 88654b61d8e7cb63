"""Runs the tests of a tree that nobody trusts, so that the tree cannot forge what is reported.

These files are mounted read-only at /opt/assay/sandbox/harness and run under the project's own
interpreter (Python >= 3.8), so they use the standard library and whatever pytest the project has.

Two processes. The *supervisor* starts first, holds the channel to the host and never loads a line of
the tree; it cannot be traced by its child. The *child* loads site, pytest and the tree, and hands
records to the supervisor through a pipe. Every record carries a tag under a key that is replaced by its
own hash after each record, once for the pipe and once (with a key that the child never had) for the
channel. So what was recorded before the tree misbehaves stays, a record by anybody else is seen
(`forged`), and a process that leaves early (`os._exit(0)`) leaves a run without an end.

Outcomes are taken where they happen: `runtest` and the test function of every item are wrapped after
collection, and the worse of "what was raised" and "what pytest reports" counts. Canary tests with
unguessable names, which must fail, go through the same machinery: one that passes gives it away.

What this cannot do: the child is one process, so code of the tree that is imported there can in the
end do all that the recorder can. A determined attacker has to find the recorder in the frames of the
running test, take its current key, and continue the chain with plausible results while leaving the
canaries alone. Who can replace pytest itself (by changing what is installed) does not even need that.
Such a patch shows in the diff; the harness makes sure that nothing shorter works.

Node's runners are watched by reporters of their own, from a supervisor of the same kind: `launch_node.py`,
and `node/README.md` for what those promise.
"""

from __future__ import annotations
