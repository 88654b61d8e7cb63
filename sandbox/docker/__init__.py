"""The docker driver: one container for every command, by a running engine.

`driver` runs a command, `engine` is all that is said to the engine, `container` says how a command
is locked in, `entry` is the program inside that starts it, `frames` what the two say to each other,
`gate` and `build_network` are the network of a build, `owners` marks and sweeps what is ours.
"""
