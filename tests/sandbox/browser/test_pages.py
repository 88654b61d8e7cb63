"""Which pages show a change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.browser.pages import find_pages, is_front_end, site_root

PAGE = "<!doctype html><title>x</title><link rel=stylesheet href=css/site.css><p>x"


def write(tree: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)


def found(tree: Path, *changed: str) -> list[str]:
    return list(find_pages(tree, changed))


def test_a_changed_page_comes_first_then_those_that_name_a_changed_file(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.html": PAGE, "b.html": "<html>plain", "docs/c.html": PAGE, "css/site.css": ""}
    )
    assert found(tmp_path, "css/site.css", "b.html") == [
        "b.html",
        "a.html",
        "docs/c.html",
    ]
    assert found(tmp_path, "README.md", "server.py") == []


def test_a_script_that_no_page_names_shows_on_the_index_of_its_site(tmp_path: Path) -> None:
    write(tmp_path, {"docs/index.html": "<html>", "docs/js/part.js": "", "lib/other.js": ""})
    assert found(tmp_path, "docs/js/part.js") == ["docs/index.html"]
    assert found(tmp_path, "lib/other.js") == []


def test_a_page_that_only_tells_of_a_script_does_not_show_it(tmp_path: Path) -> None:
    loads = [
        "<script src='../lib/part.js?v=2'></script>",
        "<script src=part.js></script>",
        "<style>@import url(css/part.js)</style>",
        "<script type=module>import { part } from './part.js'</script>",
    ]
    tells = [
        '<a href="part.js.html">part.js</a>, <a href="part.js.html#line5">line 5</a>',
        '<script src="js/other-part.js"></script> and lib/part.json',
        "The file lib/part.js is (as ./lib/part.js) <code>part.js</code>",
    ]
    pages = {f"loads{n}.html": f"<html>{text}" for n, text in enumerate(loads)}
    others = {f"tells{n}.html": f"<html>{text}" for n, text in enumerate(tells)}
    write(tmp_path, {**pages, **others, "lib/part.js": ""})
    assert found(tmp_path, "lib/part.js") == list(pages)


def test_a_site_begins_at_its_outermost_index(tmp_path: Path) -> None:
    write(tmp_path, {"site/index.html": PAGE, "site/blog/index.html": PAGE, "free/x.html": PAGE})
    assert site_root(tmp_path, "site/blog/index.html") == "site"
    assert site_root(tmp_path, "site/blog/index.html?x=1") == "site"
    assert site_root(tmp_path, "free/x.html") == ""
    assert site_root(tmp_path, "../../etc/passwd") == ""
    assert site_root(tmp_path, "/site/index.html") == "site"


@pytest.mark.parametrize(
    "files",
    [
        {"index.html": "<html>{% block main %}"},  # a template
        {"index.html": "<html><?php echo 1 ?>"},
        {"index.html": '<html><script type="module" src="/src/main.tsx"></script>'},  # to be built
        {"index.html": "<p>a part of a page</p>"},
        {"templates/index.html": PAGE},
        {"tests/data/index.html": PAGE},
        {"node_modules/x/index.html": PAGE},
    ],
)
def test_what_does_not_open_by_itself_is_left_out(tmp_path: Path, files: Mapping[str, str]) -> None:
    write(tmp_path, files)
    assert found(tmp_path, *files) == []


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text(PAGE)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "index.html").symlink_to("../secret.html")
    assert found(tree, "index.html") == []


def test_at_most_five_pages_are_looked_at(tmp_path: Path) -> None:
    names = [f"p{number}.html" for number in range(9)]
    write(tmp_path, dict.fromkeys(names, PAGE))
    assert found(tmp_path, *names) == names[:5]


def test_what_browsers_get_is_front_end() -> None:
    assert all(map(is_front_end, ("a.HTML", "b.css", "c.vue", "d.tsx", "t/e.j2")))
    assert not any(map(is_front_end, ("a.py", "README.md", "css", ".css/x")))
