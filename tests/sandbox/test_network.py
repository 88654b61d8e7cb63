"""What the build network refuses and what of the host's settings it passes on."""

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from hypothesis import example, given, strategies

from sandbox.bubblewrap.selfcheck import ways_out
from sandbox.index import index_settings
from sandbox.network import build_settings, is_public, refused_networks, routes

DOCUMENTED = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")  # routed by nobody, RFC 5737


def _is_refused(address: str) -> bool:
    return any(IPv4Address(address) in network for network in refused_networks())


@given(strategies.ip_addresses(v=4))
@example(IPv4Address("168.63.129.16"))
@example(IPv4Address("192.0.0.192"))
@example(IPv4Address("198.18.0.1"))
def test_a_build_reaches_nothing_that_a_look_up_may_not(address: IPv4Address) -> None:
    documented = any(address in IPv4Network(network) for network in DOCUMENTED)
    assert is_public(address) or documented or _is_refused(str(address))


def test_private_ranges_are_refused_and_the_outside_is_not() -> None:
    private = ("10.0.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1")
    assert all(map(_is_refused, private))
    assert not any(map(_is_refused, ("1.1.1.1", "172.32.0.1", "8.8.8.8")))


def test_a_private_index_of_the_operator_gets_its_own_route() -> None:
    address = IPv4Network("10.9.8.7")
    with_index, without = routes([str(address.network_address)]), routes([])
    assert len(with_index) == len(without) + 1
    assert address.network_address.packed in with_index[-1]


def test_pip_and_uv_get_the_same_settings_and_no_credentials() -> None:
    environ = {
        "PIP_INDEX_URL": "https://packages.example/simple",
        "PIP_EXTRA_INDEX_URL": "https://user:secret@private.example/simple https://b.example/simple",
        "PIP_FIND_LINKS": "/nowhere https://c.example/links",
    }
    environ |= {"npm_config_registry": "https://npm.example/"}
    settings = build_settings(index_settings(environ, ()))
    variables = dict(settings.variables)
    assert variables["PIP_INDEX_URL"] == variables["UV_DEFAULT_INDEX"] == environ["PIP_INDEX_URL"]
    assert variables["PIP_EXTRA_INDEX_URL"] == "https://b.example/simple"
    assert variables["PIP_FIND_LINKS"] == "/nowhere https://c.example/links"
    assert settings.hosts == {"packages.example", "b.example", "c.example", "npm.example"}
    assert "secret" not in repr(settings)
    secret = {"npm_config_registry": "https://user:secret@npm.example/"}
    assert "secret" not in repr(build_settings(index_settings(secret, ())))


def test_the_switch_that_forbids_names_its_way_out(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user/max_user_namespaces").write_text("0\n")
    assert ways_out(tmp_path) == ("sysctl -w user.max_user_namespaces=15000",)
    (tmp_path / "user/max_user_namespaces").write_text("9\n")
    assert ways_out(tmp_path) == ()


def test_of_npms_global_configuration_only_registry_and_authority_are_passed(
    tmp_path: Path,
) -> None:
    authority, npmrc = tmp_path / "ca.pem", tmp_path / "npmrc"
    authority.write_text("certificate")
    npmrc.write_text(
        f"registry=https://npm.example/\ncafile={authority}\n//npm.example/:_authToken=secret\n"
    )
    settings = index_settings({}, (), (tmp_path / "missing", npmrc))

    assert dict(settings.variables) == {
        "npm_config_registry": "https://npm.example/",
        "npm_config_cafile": "/env/npm-ca.pem",
    }
    assert [(mount.source, mount.target) for mount in settings.mounts] == [
        (str(authority), "/env/npm-ca.pem")
    ]
    assert "secret" not in repr(settings)
