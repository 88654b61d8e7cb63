"""Real servers on loopback, and a guard for which names lead to them."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.judges.web_access.guard import Guard
from sandbox.network import Address, is_public


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    body: bytes = b"<p>hello</p>"
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    endless: bool = False
    wait: threading.Event | None = None


@dataclass(slots=True)
class Site:
    """Where it listens, and the requests that it saw: (method, path, headers, body)."""

    port: int
    seen: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def site(answer: Callable[[str], Page], tls: SSLContext | None = None) -> Iterator[Site]:
    """Serve on a free port until the context ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    found = Site(server.server_port)
    server.site, server.answer = found, answer  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def guard_for(*ports: int, names: dict[str, tuple[str, ...]] | None = None) -> Guard:
    """A guard that lets public addresses and 127.0.0.1 alone pass; `site.test` leads there."""
    known = {"site.test": ("127.0.0.1",), **(names or {})}

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        try:
            return (str(ip_address(host.strip("[]"))),)
        except ValueError:
            pass
        if host not in known:
            raise OSError("no such host")
        return known[host]

    def is_allowed(address: Address) -> bool:
        return str(address) == "127.0.0.1" or is_public(address)

    return Guard(frozenset({80, 443, *ports}), resolve, is_allowed)


def certificate(folder: Path, name: str) -> tuple[Path, SSLContext]:
    """A certificate of its own for a name: the file to trust, and what to serve with."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    authority = folder / "certificate.pem"
    authority.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = folder / "key.pem"
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority, private)
    return authority, context


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        seen = {name.lower(): value for name, value in self.headers.items()}
        self.server.site.seen.append((self.command, self.path, seen, body))  # type: ignore[attr-defined]
        page: Page = self.server.answer(self.path)  # type: ignore[attr-defined]
        if page.wait:
            page.wait.wait(60)
        self.send_response(page.status)
        self.send_header("Content-Type", page.kind)
        for name, value in page.headers:
            self.send_header(name, value)
        if not page.endless:
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.close_connection = page.endless
        try:
            self.wfile.write(page.body)
            while page.endless:
                self.wfile.write(page.body)
        except OSError:
            self.close_connection = True

    def log_message(self, *_said: object) -> None:
        """Say nothing: the tests' output is read."""
