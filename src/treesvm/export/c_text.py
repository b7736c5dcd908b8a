"""Numbers, names and tables as C99 text that means what it says, whatever they hold."""

import numpy as np

_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=.,:()[]"
)
_LONGEST_STRING = 4000  # C99 promises 4095
_LONGEST_NAME = 60  # in a comment
_LINE = 100


def comment(text):
    """Return text that no comment can be ended or continued by, shortened."""
    text = text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "..."
    return "".join(c if c in _PLAIN else f"<U+{ord(c):04X}>" for c in text)


def string(text):
    """Return the initializer of a char array that holds text in UTF-8.

    What is not a plain letter or digit is an octal escape, so that no quote,
    backslash, trigraph or end of line has a meaning.
    """
    made = [
        chr(byte) if chr(byte) in _PLAIN else f"\\{byte:03o}"
        for byte in text.encode("utf8", "surrogatepass")
    ]
    if len(made) <= _LONGEST_STRING:
        return '"' + "".join(made) + '"'
    return "{" + ", ".join(f"'{c}'" for c in made) + ", 0}"


def array(name, values):
    """Return the definition of a constant table, in the smallest type that holds it.

    Numbers that single precision holds exactly are floats, others doubles.
    """
    values = np.asarray(values).ravel()
    if values.size == 0:  # C has no empty tables
        values = np.zeros(1, values.dtype)
    if values.dtype.kind == "f":
        words, kind = _reals(values)
    else:
        words = list(map(str, values.tolist()))
        kind = "short" if np.abs(values).max() < 2**15 else "int"
    return f"static const {kind} {name}[] = {{\n{_lines(words)}\n}};\n"


def real(value):
    """Return a double."""
    return _special(float(value)) or repr(float(value))


def _reals(values):
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if (single != values).any():
        return list(map(real, values.tolist())), "double"
    texts = [np.format_float_scientific(v, unique=True, trim="0") for v in single]
    return [_special(v) or t + "f" for v, t in zip(single, texts, strict=True)], "float"


def _special(value):
    """Return the macro of what is no finite number."""
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return None


def _lines(words):
    """Return words with commas, in lines of bounded length."""
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > _LINE:
            lines.append(line.rstrip())
            line = ""
        line += word + ", "
    return "\n".join([*lines, line.rstrip(", ")])


def summed(term, widest):
    """Return statements that leave the sum of a term over f < n in `a`.

    Four sums side by side do not wait for each other.

    Parameters
    ----------
    term : str
        In which ``{f}`` stands for the index.
    widest : int
        The largest n there is.
    """
    lines = ["double a = 0;", "int f = 0;"]
    if widest >= 4:
        lines[0] = "double a = 0, b = 0, c = 0, d = 0;"
        lines.append("for (; f + 4 <= n; f += 4) {")
        for j, name in enumerate("abcd"):
            lines.append(f"    {name} += {term.format(f=f'f + {j}' if j else 'f')};")
        lines += ["}", "a = (a + b) + (c + d);"]
    lines += ["for (; f < n; f++)", f"    a += {term.format(f='f')};"]
    return "".join(f"    {line}\n" for line in lines)
