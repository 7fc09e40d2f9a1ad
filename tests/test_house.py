"""The rooms of the house keep to their direction: imports point down, frameworks stay in their rooms."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

BELOW = {
    "domain": set(),
    "storage": {"domain"},
    "evaluation": {"storage", "domain"},
    "resolvers": {"evaluation", "storage", "domain"},
    "schema": {"resolvers", "evaluation", "storage", "domain"},
    "rest": {"resolvers", "evaluation", "storage", "domain"},
    "interop": {"domain", "pinset"},
    "server": {"schema", "rest", "resolvers", "evaluation", "storage", "interop", "domain", "pinset"},
    "pinset": set(),
}

HOMES = {
    "motor": ("storage/",),
    "pymongo": ("storage/",),
    "bson": ("storage/",),
    "gridfs": ("storage/",),
    "strawberry": ("schema/", "resolvers/loaders.py"),
    "graphql": ("schema/", "resolvers/loaders.py"),
    "starlette": ("server/", "rest/"),
}

GENERATED = ("client/pinset/generated/",)
IMPORTS_IN_FUNCTIONS = (
    "server/commands/",
    "client/pinset/",
    # Libraries that a server loads when a request first needs them: few do, and each start would pay for them.
    "evaluation/metrics/",
    "evaluation/paths.py",
    "evaluation/templates.py",
    "interop/harbor.py",
)


def _folder(room: str) -> Path:
    return ROOT / "client" / "pinset" if room == "pinset" else ROOT / room


ROOMS = {room: below for room, below in BELOW.items() if _folder(room).is_dir()}
FILES = [(room, path) for room in ROOMS for path in sorted(_folder(room).rglob("*.py"))]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _tops(path: Path) -> set[str]:
    tree = _tree(path)
    return {module.partition(".")[0] for node in _imports(tree) for module in _modules(node)}


def test_the_rooms_are_there() -> None:
    assert {"domain", "storage", "evaluation", "resolvers", "schema", "interop", "server", "pinset"} <= set(ROOMS)


@pytest.mark.parametrize(("room", "below"), ROOMS.items())
def test_imports_point_down(room: str, below: set[str]) -> None:
    forbidden = set(BELOW) - below - {room}
    upward = {_name(path): sorted(_tops(path) & forbidden) for where, path in FILES if where == room}
    assert {name: rooms for name, rooms in upward.items() if rooms} == {}


@pytest.mark.parametrize(("framework", "homes"), HOMES.items())
def test_frameworks_stay_in_their_rooms(framework: str, homes: tuple[str, ...]) -> None:
    users = [_name(path) for _, path in FILES if framework in _tops(path)]
    assert [name for name in users if not name.startswith(homes)] == []


def test_imports_stand_at_the_top_of_their_module() -> None:
    found = []
    for _, path in FILES:
        if _name(path).startswith(IMPORTS_IN_FUNCTIONS):
            continue
        for function in ast.walk(_tree(path)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                found += [f"{_name(path)}:{node.lineno}" for node in _imports(function)]
    assert found == []


def test_no_import_is_relative() -> None:
    found = []
    for _, path in FILES:
        if _name(path).startswith(GENERATED):
            continue
        found += [_name(path) for node in ast.walk(_tree(path)) if isinstance(node, ast.ImportFrom) and node.level]
    assert found == []


def _packages(room: str) -> set[str]:
    inits = _folder(room).rglob("__init__.py")
    return {path.parent.relative_to(_folder(room).parent).as_posix().replace("/", ".") for path in inits}


def test_every_folder_with_code_is_a_package() -> None:
    assert [_name(path) for _, path in FILES if not (path.parent / "__init__.py").exists()] == []


def test_the_server_lists_its_packages() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    server_rooms = [room for room in ROOMS if room != "pinset"]
    assert sorted(listed) == sorted(package for room in server_rooms for package in _packages(room))


def test_the_client_stands_alone() -> None:
    manifest = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(manifest["tool"]["setuptools"]["packages"]) == sorted(_packages("pinset"))
