"""Count the lines of code: python -m benchmarks.code_lines [FOLDER].

A line counts when it holds code: not blank lines, comments and docstrings.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source):
    """Return how many lines of a source hold code."""
    held = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None:
                held.difference_update(range(first.lineno, first.end_lineno + 1))
    return len(held)


def room_lines(folder):
    """Return {room: lines of code} of all Python files and stubs below a folder."""
    counts = Counter()
    for path in sorted([*Path(folder).rglob("*.py"), *Path(folder).rglob("*.pyi")]):
        counts[path.relative_to(folder).parts[0]] += code_lines(path.read_text("utf8"))
    return counts


def main(folder="src/treesvm"):
    """Print the lines of each room and their sum."""
    counts = room_lines(folder)
    for room, n_lines in counts.most_common():
        print(f"{n_lines:7,}  {room}")
    print(f"{counts.total():7,}  in all")


if __name__ == "__main__":
    main(*sys.argv[1:])
