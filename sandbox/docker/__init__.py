"""The docker driver: one container for every command, by a running engine.

`driver` runs a command, `engine` is all that is said to the engine, `container` says how a command
is locked in and whose it is, `entry` is the program inside that starts it, `gate` opens the network of a
build.
"""
