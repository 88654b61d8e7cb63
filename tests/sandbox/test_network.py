"""What the build network refuses and what of the host's settings it passes on."""

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from sandbox.index import index_settings
from sandbox.network import refused_networks, routes
from sandbox.selfcheck import ways_out


def _is_refused(address: str) -> bool:
    return any(IPv4Address(address) in network for network in refused_networks())


def test_private_ranges_are_refused_and_the_outside_is_not() -> None:
    private = ("10.0.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1")
    assert all(map(_is_refused, private))
    assert not any(map(_is_refused, ("1.1.1.1", "172.32.0.1", "8.8.8.8")))


def test_a_private_index_of_the_operator_gets_its_own_route() -> None:
    address = IPv4Network("10.9.8.7")
    with_index, without = routes([str(address.network_address)]), routes([])
    assert len(with_index) == len(without) + 1
    assert address.network_address.packed in with_index[-1]


def test_pip_and_uv_get_the_same_settings_and_no_credentials(tmp_path: Path) -> None:
    (tmp_path / ".pip").mkdir()
    config = (
        "[global]\nextra-index-url = https://u:secret@a.example/simple\n  https://b.example/s\n"
    )
    (tmp_path / ".pip/pip.conf").write_text(config)
    environ = {
        "PIP_INDEX_URL": "https://token-secret@packages.example/simple",
        "PIP_FIND_LINKS": f"{tmp_path} https://c.example/links /nowhere",
        "HTTPS_PROXY": "http://user:secret@proxy.example:3128",
        "UV_INDEX": "corp=https://user:secret@d.example/simple",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    settings = index_settings(environ, tmp_path)
    variables = dict(settings.variables)
    assert variables["PIP_INDEX_URL"] == "https://packages.example/simple"
    assert variables["UV_DEFAULT_INDEX"] == variables["PIP_INDEX_URL"]
    assert variables["PIP_EXTRA_INDEX_URL"] == "https://a.example/simple https://b.example/s"
    assert variables["UV_INDEX"] == "corp=https://d.example/simple"
    assert variables["HTTPS_PROXY"] == "http://proxy.example:3128"
    assert {"packages.example", "c.example", "proxy.example"} <= set(settings.hosts)
    assert str(tmp_path) in settings.paths
    assert "/nowhere" not in settings.paths
    assert "secret" not in repr(settings)


def test_a_simple_index_on_disk_is_mounted_with_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mirror/simple").mkdir(parents=True)
    environ = {"PIP_INDEX_URL": f"file://{tmp_path}/mirror/simple"}
    assert str(tmp_path / "mirror") in index_settings(environ, tmp_path).paths


def test_a_broken_configuration_file_is_left_to_pip(tmp_path: Path) -> None:
    (tmp_path / "bad.conf").write_text("no section\n")
    settings = index_settings({"PIP_CONFIG_FILE": str(tmp_path / "bad.conf")}, tmp_path)
    assert "PIP_INDEX_URL" not in dict(settings.variables)


def test_the_switch_that_forbids_names_its_way_out(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("0\n")
    assert ways_out(tmp_path) == ("sysctl -w user.max_user_namespaces=15000",)
    (tmp_path / "user/max_user_namespaces").write_text("9\n")
    assert ways_out(tmp_path) == ()
