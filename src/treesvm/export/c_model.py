"""A fitted model as one C99 file: constant tables, no allocation, no dependency."""

from typing import Any

from treesvm import __version__
from treesvm.export.c_answers import (
    encoding,
    member_answers,
    public_functions,
    tree_answers,
)
from treesvm.export.c_forest import forest
from treesvm.export.c_machines import machine_code
from treesvm.export.c_text import comment, string
from treesvm.export.plan import plan_of
from treesvm.partitions import RandomPartition

_HEAD = """/*
 * {model}, written by treesvm {version}.
 *
{words}
 *
 * Nothing is allocated and nothing but the arguments is written: threads may share it.
 * Compile with: cc -std=c99 -O3 -c model.c, and link with -lm.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
"""


def to_c(model: Any) -> str:
    """Return a fitted model as the text of one self-contained C99 file.

    It has ``int predict(const float *row)``, the code of the class (its place in
    `classes_`), ``void decision(const float *row, double *scores)``, what
    `decision_function` returns, and ``const char *class_name(int code)``. A regressor
    has ``double predict(const float *row)``.

    Parameters
    ----------
    model : classifier, regressor or TableModel of columns of numbers
        Fitted.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the model cannot be exported; the message names what is in the way.

    Notes
    -----
    When not to use it: the tables of a large `KernelSVC` make a large program;
    `compress` it first, or let a tree cut the space.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.export import to_c
    >>> X, y = load_iris(return_X_y=True)
    >>> text = to_c(HLSVMClassifier(random_state=0).fit(X, y))
    >>> "int predict(const float *row)" in text
    True
    """
    plan = plan_of(model)
    text = _head(plan) + _declarations(plan)
    if plan.encoder is not None:
        text += encoding(plan.encoder)
    if plan.trees:
        return text + forest(plan.trees) + tree_answers(plan) + public_functions(plan)
    text += forest([member.partition for member in plan.members])
    if any(member.kernel is not None for member in plan.members):
        text += machine_code(plan.members)
    return text + member_answers(plan) + public_functions(plan)


def _head(plan):
    """Return the comment at the top, and what is included."""
    words = [f" * row: {_width(plan)} numbers"]
    words += [f" *   {j}: {comment(name)}" for j, name in enumerate(plan.names)]
    if plan.classes is None:
        words.append(" * predict: the number that the model says")
    else:
        words.append(f" * predict: a class, 0 to {plan.n_classes - 1}; see class_name")
        words.append(f" * decision: writes {_n_scores(plan)} numbers")
    head = _HEAD.format(
        model=type(plan.model).__name__, version=__version__, words="\n".join(words)
    )
    if any(isinstance(member.partition, RandomPartition) for member in plan.members):
        return head
    return head.replace("#include <stdint.h>\n#include <string.h>\n", "")


def _declarations(plan):
    """Return sizes, prototypes and the names of the classes."""
    sizes = {"WIDTH": plan.n_features, "N_MEMBERS": len(plan.members)}
    prototypes = "double predict(const float *row);\n"
    names = ""
    if plan.classes is not None:
        sizes["N_CLASSES"] = plan.n_classes
        prototypes = (
            "int predict(const float *row);\n"
            "void decision(const float *row, double *scores);\n"
            "const char *class_name(int code);\n"
        )
        labels = list(map(str, plan.classes.tolist()))
        for code, label in enumerate(labels):
            names += f"static const char class_{code}[] = {string(label)};\n"
        listed = ", ".join(f"class_{code}" for code in range(len(labels)))
        names += f"static const char *const class_names[] = {{{listed}}};\n"
    kind = "float" if plan.encoder is None else "double"
    enums = "".join(f"enum {{ {name} = {size} }};\n" for name, size in sizes.items())
    return f"\n{prototypes}\ntypedef {kind} number;\n{enums}{names}"


def _width(plan):
    if plan.encoder is None:
        return plan.n_features
    names = plan.encoder.column_names
    return plan.encoder.spec["n_features"] if names is None else len(names)


def _n_scores(plan):
    if plan.pair_values:
        return plan.members[0].n_outputs
    return plan.n_classes if plan.n_classes > 2 else 1
