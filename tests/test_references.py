"""Names, tags and references: the grammar over the whole string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import ErrorCode, InvalidInput
from domain.names import check_movable_tag, check_name, check_tag
from domain.references import Reference, parse_fileset_reference, parse_metric_reference, parse_reference

DIGEST = "0123456789abcdef" * 4


@pytest.mark.parametrize("name", ["a", "A.b-c_d", "é", "日本", "-x", ".a", "...", "1", "a" * 255])
def test_legal_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a\n", "\na", "a b", "a/b", "a#b", "a" * 256, "a\u0301", "a\x00", "\ud800"]
)
def test_illegal_names(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_name(name)
    assert caught.value.path == ("name",)


@pytest.mark.parametrize("tag", ["latest", "blessed", "1", "v1.0", DIGEST.upper(), DIGEST[:-1], "é"])
def test_legal_tags(tag: str) -> None:
    assert check_tag(tag) == tag


@pytest.mark.parametrize("tag", ["", "a\n", "a b", DIGEST, "a" * 256, "a#b"])
def test_illegal_tags(tag: str) -> None:
    with pytest.raises(InvalidInput):
        check_tag(tag)


def test_latest_cannot_be_moved_by_hand() -> None:
    with pytest.raises(InvalidInput) as caught:
        check_movable_tag("latest")
    assert caught.value.code is ErrorCode.TAG_RESERVED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("geo", Reference("here", "geo")),
        ("default/geo", Reference("default", "geo")),
        ("geo#blessed", Reference("here", "geo", "blessed")),
        (f"default/geo#{DIGEST}", Reference("default", "geo", DIGEST)),
        ("geo#1", Reference("here", "geo", "1")),
    ],
)
def test_references(text: str, expected: Reference) -> None:
    assert parse_reference(text, "here") == expected


def test_a_fragment_is_a_digest_or_a_tag_and_none_means_latest() -> None:
    assert parse_reference("geo", "w").tag == "latest"
    assert parse_reference("geo#x", "w").tag == "x"
    assert parse_reference(f"geo#{DIGEST}", "w").digest == DIGEST
    assert parse_reference(f"geo#{DIGEST}", "w").tag is None
    assert parse_reference(f"geo#{DIGEST.upper()}", "w").tag == DIGEST.upper()
    assert parse_reference(f"geo#{DIGEST[:12]}", "w").tag == DIGEST[:12]


@pytest.mark.parametrize(
    "text",
    ["", "#x", "default/geo#", "a/b/c", "geo@1", "geo#bad frag", "geo\n", "geo#x\n", "/a", "a/", "../a", "a#b#c"],
)
def test_illegal_references(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_reference(text, "default")


def test_a_metric_has_no_fragment() -> None:
    assert str(parse_metric_reference("m", "w")) == "w/m"
    with pytest.raises(InvalidInput):
        parse_metric_reference("m#x", "w")


@pytest.mark.parametrize("text", ["a/b#c", "a/b#c/d.tar.gz", "a.b/c-d#x/y/z"])
def test_fileset_references(text: str) -> None:
    assert parse_fileset_reference(text) == text


@pytest.mark.parametrize("text", ["b#c", "a/b", "a/b#", "a/b#c d", "a/b/c#d", "../b#c"])
def test_illegal_fileset_references(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_fileset_reference(text)


@given(st.from_regex(r"[\w\-.]{1,20}", fullmatch=True), st.from_regex(r"[\w\-.]{1,20}", fullmatch=True))
def test_a_reference_reads_back_what_it_writes(name: str, tag: str) -> None:
    if name in (".", ".."):
        return
    reference = Reference("w", name, tag)
    assert parse_reference(str(reference), "other") == reference
