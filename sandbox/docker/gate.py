"""Process 1 of the container that owns a build's network: sets its routes and keeps it open.

It is passed to the image's own Python as text. It alone has the capability to change the network;
the build itself joins the network without it. Nothing under test runs here.
"""

from __future__ import annotations

import os
import socket
import sys


def _read_exactly(count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            sys.exit(3)
        data += part
    return data


def main() -> None:
    """Send every netlink message that the worker gives, say so, and wait until the worker is gone."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.bind((0, 0))
        for _ in range(int(_read_exactly(6))):
            message = _read_exactly(int(_read_exactly(6)))
            link.send(message)
            error = int.from_bytes(link.recv(4096)[16:20], sys.byteorder, signed=True)
            if error:
                os.write(1, f"{message.hex()}: {os.strerror(-error)}".encode())
                sys.exit(1)
    os.write(1, b"ready")
    while os.read(0, 4096):
        pass


if __name__ == "__main__":
    main()
