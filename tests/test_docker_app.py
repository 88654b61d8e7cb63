"""The App's own image: it builds, and in a container as compose starts it the demo comes out as it must."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker import APIClient

from tests.docker_engine import BASE_IMAGE

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent
HOST_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
TRUSTING = f"""FROM {BASE_IMAGE}
COPY certificates.crt {HOST_CERTIFICATES}
ENV PIP_CERT={HOST_CERTIFICATES} SSL_CERT_FILE={HOST_CERTIFICATES} UV_NATIVE_TLS=1
"""
"""Debian, with the certificates that this machine trusts: its package index may be a mirror."""
WORKER = {
    "SecurityOpt": ["seccomp=unconfined", "apparmor=unconfined"],
    "MaskedPaths": [],  # systempaths=unconfined
    "ReadonlyPaths": [],
    "Devices": [
        {
            "PathOnHost": "/dev/net/tun",
            "PathInContainer": "/dev/net/tun",
            "CgroupPermissions": "rwm",
        }
    ],
}
"""What compose.yml gives the worker."""


@pytest.fixture(scope="module")
def client(docker_engine: str) -> Iterator[APIClient]:
    client = APIClient(base_url=docker_engine, timeout=600)
    yield client
    client.close()


@pytest.fixture(scope="module")
def image(client: APIClient) -> str:
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        archive.add(HOST_CERTIFICATES.resolve(), "certificates.crt")
        recipe = tarfile.TarInfo("Dockerfile")
        recipe.size = len(TRUSTING)
        archive.addfile(recipe, io.BytesIO(TRUSTING.encode()))
    context.seek(0)
    build(client, "assay-test-trusting", fileobj=context, custom_context=True)
    build(
        client,
        "assay-test-app",
        path=str(ROOT),
        dockerfile="deploy/Dockerfile",
        target="worker",
        buildargs={"BASE": "assay-test-trusting", "TOOLCHAINS": ""},
    )
    return "assay-test-app"


def build(client: APIClient, tag: str, **options: object) -> None:
    said = list(client.build(tag=tag, rm=True, decode=True, **options))
    errors = [line["error"] for line in said if "error" in line]
    printed = "".join(line.get("stream", "") for line in said)
    assert not errors, f"{errors}\n{printed[-3000:]}"


def run(client: APIClient, image: str, *argv: str) -> tuple[int, str]:
    container = client.create_container(image, list(argv), host_config=WORKER)["Id"]
    try:
        client.start(container)
        code = client.wait(container, timeout=300)["StatusCode"]
        return code, client.logs(container).decode(errors="replace")
    finally:
        client.remove_container(container, force=True)


def test_the_image_has_what_its_sandbox_needs(client: APIClient, image: str) -> None:
    code, said = run(client, image, "assay", "doctor")
    assert code == 0, said
    lines = {line[9:].split("  ")[0].strip(): line for line in said.splitlines()}
    for subject in ("bwrap", "slirp4netns", "sandbox", "toolchains", "chromium"):
        assert lines[subject].startswith("ok"), said
    assert "node" in lines["toolchains"]


def test_the_demo_in_a_container_as_compose_starts_it(client: APIClient, image: str) -> None:
    code, said = run(client, image, "assay", "demo", "--folder", "/var/lib/assay/demo")
    assert code == 0, said
    assert said.count("(as expected)") == 4
