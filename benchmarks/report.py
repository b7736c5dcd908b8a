"""Tables for people: on the screen, and between markers of a markdown page.

A page keeps its prose. What the runner writes stands between two comments,

    <!-- begin: NAME -->
    <!-- end: NAME -->

and is replaced as a whole; a block that is not there yet is added at the end.
"""

import re


def number(value):
    """Four significant digits are all a timing deserves."""
    if value is None:
        return "–"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.2e}"


def markdown_table(rows):
    """Rows are dictionaries with the same keys; the keys are the heading."""
    if not rows:
        return ""
    lines = [list(rows[0])] + [[number(v) for v in row.values()] for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    text = [
        "| "
        + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


_CLAIM_HEADING = ["work", "measured", "claim", ""]


def claim_rows(claims):
    """The table of ratios, from claims as stored in JSON."""
    return [
        {
            "work": claim["work"],
            "measured": _with_unit(claim["value"], claim),
            "claim": _bound(claim),
            "": claim["verdict"],
        }
        for claim in claims
    ]


def _with_unit(value, claim):
    unit = claim["unit"]
    return f"{number(value)}{unit}" if unit == "×" else f"{number(value)} {unit}"


def _bound(claim):
    sign = "≥" if claim["higher_is_better"] else "≤"
    return f"{sign} {_with_unit(claim['bound'], claim)}"


def case_text(stored):
    """Everything a case has to show, as markdown; also readable on a screen."""
    parts = [markdown_table(claim_rows(stored["claims"]))]
    for title, rows in stored["tables"].items():
        parts.append(f"**{title}**\n\n{markdown_table(rows)}")
    parts.extend(stored["notes"])
    if stored.get("timed", True):
        parts.append(_load_warning(stored["environment"]))
    parts.append(_environment_line(stored["environment"]))
    return "\n\n".join(part for part in parts if part)


def _load_warning(stamp):
    """More busy processes than cores: both sides waited for others, not equally.

    A run of as many threads as cores has a load of about their number by itself.
    """
    load = stamp.get("load")
    if load is None or load <= 1.1 * stamp["cores"]:
        return ""
    return (
        f"**Busy machine:** load {number(load)} on {stamp['cores']} cores while this "
        "ran. The wall-clock times are rough, and so are ratios near a bound."
    )


def _environment_line(stamp):
    return (
        f"Measured {stamp['timestamp'][:10]}, {stamp['cpu']}, {stamp['cores']} cores; "
        f"Python {stamp['python']}, NumPy {stamp['numpy']}, SciPy {stamp['scipy']}, "
        f"scikit-learn {stamp['scikit-learn']}, Numba {stamp['numba']}; "
        f"load {number(stamp['load'])} at the end."
    )


def update_page(path, blocks, title):
    """Put each ``name: text`` of `blocks` between its markers in the page at `path`.

    The summary repeats the claims of all blocks, whenever they were measured.
    """
    page = path.read_text(encoding="utf8") if path.exists() else f"# {title}\n"
    for name, text in blocks.items():
        page = replace_block(page, name, text)
    claims = list(_claims_on(page))
    if claims:
        page = replace_block(page, "summary", markdown_table(claims))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf8")


def _claims_on(page):
    """Yield the rows of the claims' tables, with which blocks begin, once each."""
    seen, blocks = {"summary"}, r"<!-- begin: (.+?) -->\n(.*?)<!-- end"
    for name, text in re.findall(blocks, page, re.DOTALL):
        lines = [_cells(line) for line in text.split("\n\n")[0].splitlines()]
        if name not in seen and len(lines) > 2 and lines[0] == _CLAIM_HEADING:
            yield from (dict(zip(lines[0], cells, strict=True)) for cells in lines[2:])
        seen.add(name)


def _cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def replace_block(page, name, text):
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    block = f"{begin}\n{text}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(page):
        # A function, because backslashes in a replacement text would be read as groups.
        return pattern.sub(lambda _: block, page, count=1)
    return f"{page.rstrip()}\n\n## {name}\n\n{block}\n"
