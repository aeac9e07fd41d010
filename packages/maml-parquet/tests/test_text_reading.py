"""The encoding, the line endings, the limits."""

import pytest

from maml_parquet.errors import MamlError
from maml_parquet.text.reading import MAX_BYTES, MAX_TOLD, lines


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"table: t\n", "table: t\n"),
        ("table: t\n", "table: t\n"),
        (b"\xef\xbb\xbftable: t\n", "table: t\n"),
        ("\ufefftable: t\n", "table: t\n"),
        (b"table: t\r\nauthor: a\r\n", "table: t\nauthor: a\n"),
        (b"\xef\xbb\xbftable: t\r\nauthor: a", "table: t\nauthor: a"),
        ("info: a\tb α \U0001f52d\u00a0", "info: a\tb α \U0001f52d\u00a0"),
        (bytearray(b"a: b"), "a: b"),
        ("", ""),
    ],
)
def test_marks_and_line_endings_go_and_nothing_else(source, text):
    assert lines(source) == text


@pytest.mark.parametrize(
    ("source", "line", "column", "says"),
    [
        (b"a: b\nc: d\rE: f", 2, 5, "carriage return"),
        (b"a: b\r", 1, 5, "carriage return"),
        (b"a: b\r\r\n", 1, 5, "carriage return"),
        (b"a: \x00b", 1, 4, "U+0000"),
        (b"a: \x1bb", 1, 4, "U+001B"),
        ("a: \x7f", 1, 4, "U+007F"),
        ("a: \x85", 1, 4, "U+0085"),
        ("a: b\n\u2028", 2, 1, "U+2028"),
        ("a: \ufeff", 1, 4, "U+FEFF"),
        ("a: \ud800", 1, 4, "U+D800"),
        # byte 9 is the fifth of line 2; the two bytes before it are one character
        (b"a: b\n\xc3\xa9: \xe9", 2, 4, "byte 9 (0xe9)"),
        (b"\xef\xbb\xbf\xe9", 1, 1, "byte 3 (0xe9)"),
    ],
)
def test_what_is_not_plain_text_is_named_with_its_place(source, line, column, says):
    with pytest.raises(MamlError) as caught:
        lines(source)
    [problem] = caught.value.problems
    assert (problem.code, problem.line, problem.column) == ("encoding", line, column)
    assert says in problem.message


def test_a_line_has_1024_code_points_at_most_its_ending_not_counted():
    longest = "α" * 1024
    assert lines(longest + "\r\n" + longest) == longest + "\n" + longest
    with pytest.raises(MamlError) as caught:
        lines(f"a: b\n#{longest}\n{longest}\n{longest}x\n")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [
        ("line-too-long", 2),
        ("line-too-long", 4),
    ]
    assert "1025" in str(caught.value)


def test_the_longest_line_is_an_argument():
    assert lines("a: 45", max_line=5) == "a: 45"
    with pytest.raises(MamlError, match="5 characters, 4 are the most"):
        lines("a: 45", max_line=4)
    with pytest.raises(MamlError, match="max_line is 0"):
        lines("a", max_line=0)


@pytest.mark.parametrize("make", [lambda n: b"\n" * n, lambda n: "\n" * n], ids=["bytes", "text"])
def test_four_mebibytes_are_the_most(make):
    assert len(lines(make(MAX_BYTES))) == 4194304
    with pytest.raises(MamlError) as caught:
        lines(make(MAX_BYTES + 1))
    assert caught.value.code == "limit"


def test_the_size_of_text_is_counted_in_bytes():
    with pytest.raises(MamlError, match="4194306 bytes"):
        lines("α\n" * (MAX_BYTES // 3 + 1))  # 3 bytes a line: 1398101 + 1 … = 1398102 * 3


def test_what_is_neither_text_nor_bytes_is_refused():
    with pytest.raises(MamlError, match=r"load\(path\)"):
        lines(5)


def test_a_file_that_is_no_text_is_a_report_of_bounded_length():
    with pytest.raises(MamlError) as caught:
        lines(b"\x00\n" * 100_000)
    assert len(caught.value.problems) == MAX_TOLD
