"""Values of the machines of all parts, in C."""

from dataclasses import replace

import numpy as np

from treesvm.export.c_text import array, real, summed
from treesvm.export.exported_machines import Walk, joined_trees, with_tables
from treesvm.export.flat_arrays import flattened
from treesvm.kernels.kernel import Linear, Polynomial
from treesvm.machines.scaling import FARTHEST

_SEEN = """
/* The row as the machine of a part sees it. */
static void see(int part, const number *row, double *x)
{{
    int f;
    const int n = width[part];
    for (f = 0; f < n; f++) {{
        double value = row[columns[columns_begin[part] + f]];
{level}        value = (value - shift[shift_begin[part] + f])
            * factor[factor_begin[part] + f];
        x[f] = {clipped};
    }}
}}
"""

_LEVEL = """
/* Where a value stands among the quantiles of a feature. */
static double level(double x, const {knots} *knot, const {levels} *height)
{{
    int low = 0, high = N_KNOTS - 1, middle;
    if (x <= knot[0])
        return (x - knot[0]) / (knot[high] - (double)knot[0]);
    if (x >= knot[high])
        return 1.0 + (x - knot[high]) / (knot[high] - (double)knot[0]);
    while (high - low > 1) {{
        middle = (low + high) / 2;
        if (x < knot[middle])
            high = middle;
        else
            low = middle;
    }}
    return height[low] + (x - knot[low]) / (knot[low + 1] - (double)knot[low])
        * (height[low + 1] - (double)height[low]);
}}
"""

_KERNEL = """
static double {name}(int part, const {kind} *z, const double *x)
{{
    const int n = width[part];
{sum}    return {value};
}}
"""

_KERNELS = """
static double kernel(int part, const {kind} *z, const double *x)
{{
    switch (kernel_of[part]) {{
{cases}    }}
    return 0;
}}
"""

_TERMS = {  # by the power of the distance; None is a product
    1: "fabs(x[{f}] - z[{f}])",
    2: "(x[{f}] - z[{f}]) * (x[{f}] - z[{f}])",
    None: "x[{f}] * z[{f}]",
}

_SUM = """
static void values_of(int part, const number *row, double *values)
{{
    double x[WIDEST] = {{0}}, sums[MOST_COLUMNS] = {{0}};
    const {vectors} *z = vectors + vectors_begin[part];
    const {coefficients} *own = coefficients + coefficients_begin[part];
    const int n = n_columns[part];
    int b, s, j;
    see(part, row, x);
    for (j = 0; j < n_machines[part]; j++)
        values[j] = biases[biases_begin[part] + j];
    for (b = 0; b < n_blocks[part]; b++) {{
        const {machine_ids} *ids = machine_ids + machine_ids_begin[part] + b * n;
        const int size = sizes[sizes_begin[part] + b];
        for (j = 0; j < n; j++)
            sums[j] = 0;
        for (s = 0; s < size; s++) {{
            const double k = kernel(part, z, x);
            for (j = 0; j < n; j++)
                sums[j] += own[j] * k;
            own += n;
            z += width[part];
        }}
        for (j = 0; j < n; j++)
            values[ids[j]] += sums[j];
    }}
}}
"""

# A walk evaluates the terms on the way to a leaf and no others.
_WALK = """
static void values_of(int part, const number *row, double *values)
{{
    double x[WIDEST] = {{0}}, terms[HIGHEST] = {{0}};
    const {vectors} *z = vectors + vectors_begin[part];
    const {links} *links_of = links + links_begin[part];
    const {cuts} *cut = cuts + cuts_begin[part];
    const int n = n_columns[part];
    int tree, j, m;
    see(part, row, x);
    for (tree = 0; tree < n_trees[part]; tree++) {{
        int k = tree_roots[tree_roots_begin[part] + tree], met = 0;
        const {offsets} *offset;
        const {coefficients} *own;
        for (;;) {{
            const {links} *link = links_of + 4L * k;
            terms[met] = kernel(part, z + (long)link[0] * width[part], x);
            if (link[1] < 0)
                break;
            k = terms[met++] <= cut[k] ? link[1] : link[2];
        }}
        offset = offsets + offsets_begin[part] + (long)k * n;
        own = coefficients + coefficients_begin[part] + (long)links_of[4L * k + 3] * n;
        for (m = 0; m < n; m++)
            values[tree * n + m] = offset[m];
        for (j = 0; j <= met; j++)
            for (m = 0; m < n; m++)
                values[tree * n + m] += own[j * n + m] * terms[j];
    }}
}}
"""


def machine_code(members):
    """Return tables and code of ``values_of(part, row, values)``.

    Parts are numbered through all members.
    """
    machines = with_tables([m for member in members for m in member.machines])
    known = [machine for machine in machines if machine is not None]
    walks = isinstance(known[0], Walk)
    numbers, arrays = (_walk_tables if walks else _sum_tables)(machines)
    tables = {name: array(name, values) for name, values in numbers.items()}
    for name, found in flattened(arrays).items():
        tables[name] = array(name, found.data)
        tables[f"{name}_begin"] = array(f"{name}_begin", found.begins)
    kinds = {name: table.split()[2] for name, table in tables.items()}
    widest = max(machine.vectors.shape[1] for machine in known)
    highest = max((t.height for m in known for t in m.trees), default=1) if walks else 1
    sizes = {"WIDEST": widest, "HIGHEST": highest, "N_KNOTS": _n_knots(known)}
    sizes["MOST_COLUMNS"] = numbers["n_columns"].max()
    text = "".join(f"enum {{ {name} = {size} }};\n" for name, size in sizes.items())
    text += "".join(tables.values()) + _sight(members, kinds)
    text += _kernel(machines, kinds["vectors"], widest)
    return text + (_WALK if walks else _SUM).format(**kinds)


def _n_knots(machines):
    table = machines[0].scaling.table
    return 1 if table is None else table.values.shape[1]


def _sight(members, kinds):
    """Return the code that scales a row."""
    clipped, level, text = "value", "", ""
    if any(member.has_tables for member in members):
        text = _LEVEL.format(**kinds)
        level = (
            "        value = level(value, knots + knots_begin[part] + f * N_KNOTS,\n"
            "            levels + levels_begin[part] + f * N_KNOTS);\n"
        )
    if any(member.is_scaled for member in members):
        far = real(FARTHEST)
        clipped = f"value > {far} ? {far} : value < -{far} ? -{far} : value"
    return text + _SEEN.format(level=level, clipped=clipped)


def _kernel(machines, kind, widest):
    """Return the code of the kernel; members may have different ones."""
    keys = [m and replace(m.kernel, **_unit_gamma(m.kernel)) for m in machines]
    kernels = list(dict.fromkeys(key for key in keys if key is not None))
    if len(kernels) == 1:
        return _one_kernel("kernel", kernels[0], kind, widest)
    numbers = [0 if key is None else kernels.index(key) for key in keys]
    text, cases = array("kernel_of", numbers), ""
    for number, kernel in enumerate(kernels):
        text += _one_kernel(f"kernel_{number}", kernel, kind, widest)
        cases += f"    case {number}: return kernel_{number}(part, z, x);\n"
    return text + _KERNELS.format(kind=kind, cases=cases)


def _unit_gamma(kernel):
    """Return the field that a table of numbers by part stands for."""
    return {"gamma": 1.0} if kernel.has_gamma else {}


def _one_kernel(name, kernel, kind, widest):
    value = "a"
    if kernel.power is not None:
        value = "exp(-gamma_[part] * a)"
    elif not isinstance(kernel, Linear):
        inner = f"gamma_[part] * a + {real(kernel.coef0)}"
        is_power = isinstance(kernel, Polynomial)
        value = f"pow({inner}, {kernel.degree})" if is_power else f"tanh({inner})"
    total = summed(_TERMS[kernel.power], widest)
    return _KERNEL.format(name=name, kind=kind, sum=total, value=value)


def _shared(machine):
    """Arrays that sums and walks have."""
    scaling = machine.scaling
    made = {"columns": scaling.columns, "shift": scaling.shift}
    made |= {"factor": scaling.factor, "vectors": machine.vectors}
    if scaling.table is not None:
        made |= {"knots": scaling.table.values, "levels": scaling.table.levels}
    return made


def _numbers(machines, **of_machine):
    """Return {name: one number for each part}, zero where there is no machine."""
    of_machine |= {"width": lambda machine: machine.vectors.shape[1]}
    made = {
        name: np.array([0 if m is None else number(m) for m in machines])
        for name, number in of_machine.items()
    }
    if all(m is None or isinstance(m.kernel, Linear) for m in machines):
        return made
    gamma = [0.0 if m is None else float(m.kernel.gamma) for m in machines]
    return made | {"gamma_": np.array(gamma)}


def _sum_tables(machines):
    """Return numbers and arrays of sums, by part."""
    numbers = _numbers(
        machines,
        n_machines=lambda machine: len(machine.biases),
        n_blocks=lambda machine: len(machine.machine_ids),
        n_columns=lambda machine: machine.machine_ids.shape[1],
    )

    def arrays(machine):
        return _shared(machine) | {
            "coefficients": machine.coefficients,
            "biases": machine.biases,
            "machine_ids": machine.machine_ids,
            "sizes": np.diff(machine.starts),
        }

    return numbers, [machine and arrays(machine) for machine in machines]


def _walk_tables(machines):
    """Return numbers and arrays of walks, by part.

    Links are (term, left, right, start of the coefficients).
    """
    numbers = _numbers(
        machines,
        n_trees=lambda machine: len(machine.trees),
        n_columns=lambda machine: machine.trees[0].n_outputs,
    )

    def arrays(machine):
        nodes = joined_trees(machine.trees)
        links = [nodes[name] for name in ("column", "left", "right", "start")]
        return _shared(machine) | {
            "tree_roots": nodes["roots"],
            "links": np.stack(links, axis=1),
            "cuts": nodes["threshold"],
            "offsets": nodes["offsets"],
            "coefficients": nodes["coefficients"],
        }

    return numbers, [machine and arrays(machine) for machine in machines]
