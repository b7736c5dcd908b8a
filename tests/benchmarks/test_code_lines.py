"""What counts as a line of code."""

from benchmarks.code_lines import code_lines

SOURCE = '''"""Words
of the file."""

import math  # a remark


def half(x):
    """Words of the function."""
    # a reason

    text = """no docstring,
    so it counts"""
    return math.ceil(
        x / 2,
    ), text
'''


def test_blank_lines_comments_and_docstrings_are_no_code():
    assert code_lines(SOURCE) == 1 + 1 + 2 + 3
    assert code_lines('"""Only words."""\n') == 0
