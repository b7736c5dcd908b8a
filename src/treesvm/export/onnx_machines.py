"""The values of a member's machines, in ONNX, each for the rows of its own part.

Rows are sorted by part, and one loop goes through tasks: some rows of one part, with
the arrays of that part cut out of those of all parts.  So a row meets the vectors of
its own part only, and nothing is larger than a task.
"""

import numpy as np

from treesvm.export.exported_machines import Walk, joined_trees
from treesvm.export.flat_arrays import flattened
from treesvm.export.onnx_kernels import kernel_matrix, kernel_values, scaled_rows
from treesvm.export.onnx_routing import parts_of_rows
from treesvm.export.onnx_votes import pair_evidence, side_arrays, voted_scores
from treesvm.trees.routing import LEAF

_TASK_NUMBERS = 2**20  # numbers that a task holds at a time: 8 MB
_TASK_ROWS = 4096


def member_scores(g, x, member):
    """Return what a member says of the rows x (float64), and the part of every row."""
    parts = parts_of_rows(g, x, member.partition)
    scores = g.Gather(g.constant(member.constants, np.float64), parts)
    if member.kernel is None:
        return scores, parts
    arrays = _arrays_of(member)
    pieces = _Pieces(flattened(arrays))
    sizes = np.array([0 if a is None else int(a["task_rows"][0]) for a in arrays])
    order, tasks = _tasks_of(g, parts, sizes)

    def answer(g, turn, scores):
        part, rows = tasks(g, turn, order)
        values = _values(g, g.Gather(x, rows), member, pieces.of(g, part))
        return [g.ScatterND(scores, g.Unsqueeze(rows, g.ints(1)), values)]

    n_tasks = tasks.total
    (scores,) = g.loop(n_tasks, [(scores, np.float64)], answer)
    return scores, parts


class _Pieces:
    """Arrays of all parts, of which a task cuts out those of its own part."""

    def __init__(self, flat):
        self._flat = {
            name: found._replace(data=_shortened(found.data))
            for name, found in flat.items()
        }

    def of(self, g, part):
        """Return a function from a name (and a shape) to the part's array."""

        def piece(name, *shape):
            data, begins, ends = self._flat[name]
            begin, end = (g.Gather(g.constant(x), part) for x in (begins, ends))
            cut = g.Slice(g.constant(data), begin, end)
            cut = g.cast(cut, np.float64) if data.dtype == np.float32 else cut
            if not shape:
                return cut
            shape = [size if isinstance(size, str) else g.ints(size) for size in shape]
            return g.Reshape(cut, g.Concat(*shape, axis=0))

        return piece


class _Tasks:
    """Which rows of which part a turn of the loop answers."""

    def __init__(self, total, **names):
        self.total, self._names = total, names

    def __call__(self, g, turn, order):
        """Return the part, 1-D of one number, and the numbers of the rows."""
        ends, counts, row_ends, sizes = self._names.values()
        part = g.ReduceSum(g.cast(g.LessOrEqual(ends, turn), np.int64), g.ints(0))
        end, size = g.Gather(row_ends, part), g.Gather(sizes, part)
        left = g.Sub(g.Gather(ends, part), turn)  # tasks of the part, this one included
        taken = g.Sub(_quotient(g, g.Gather(counts, part), size), left)
        begin = g.Add(g.Sub(end, g.Gather(counts, part)), g.Mul(taken, size))
        return part, g.Slice(order, begin, g.Min(g.Add(begin, size), end))


def _tasks_of(g, parts, task_rows):
    """Return the rows sorted by part, and the tasks; none where task_rows is 0."""
    n_parts = len(task_rows)
    nothing = g.constant(np.zeros(n_parts), np.int64)
    ones = g.Expand(g.ints(1), g.rows(parts))
    counts = g.ScatterElements(nothing, parts, ones, axis=0, reduction="add")
    _, order = g.TopK(parts, g.rows(parts), largest=0, sorted=1, n_outputs=2)
    sizes = g.constant(np.maximum(task_rows, 1), np.int64)
    has_machine = g.constant(task_rows > 0, np.int64)
    n_tasks = g.Mul(_quotient(g, counts, sizes), has_machine)
    tasks = _Tasks(
        g.ReduceSum(n_tasks, g.ints(0)),
        ends=g.CumSum(n_tasks, g.ints(0)),
        counts=counts,
        row_ends=g.CumSum(counts, g.ints(0)),
        sizes=sizes,
    )
    return order, tasks


def _quotient(g, a, b):
    """Return a / b rounded up."""
    return g.Div(g.Sub(g.Add(a, b), g.ints(1)), b)


def _values(g, x, member, piece):
    """Return what a part's machine says of its rows x."""
    x = scaled_rows(g, x, member, piece)
    values = (
        _walked(g, x, member, piece) if member.walks else _summed(g, x, member, piece)
    )
    if member.n_classes is None:
        return values
    if member.n_classes == 2:
        return g.Concat(g.Neg(values), values, axis=1)
    sides = piece("sides", -1, member.n_classes)
    if member.gives_evidence:
        return pair_evidence(g, values, sides, piece("has"), piece("is_ovr"))
    return voted_scores(g, values, sides, *map(piece, ("base", "has", "is_ovr")))


def _summed(g, x, member, piece):
    """Biases plus sums over the vectors.

    With many classes a vector takes part in few machines: one product for each block,
    and a machine's value is the sum of its two sides.
    """
    vectors = piece("vectors", -1, piece("width"))
    K = kernel_matrix(g, x, vectors, member.kernel, piece)
    if not member.is_blocked:
        coefficients = piece("coefficients", -1, piece("n_columns"))
        return g.Add(g.MatMul(K, coefficients), piece("biases"))
    blocks = piece("n_blocks")
    coefficients = piece("coefficients", blocks, -1, piece("n_columns"))
    K = g.Gather(g.Pad(K, g.ints(0, 0, 0, 1)), piece("blocked"), axis=1)
    K = g.Reshape(K, g.Concat(g.rows(x), blocks, g.ints(-1), axis=0))
    # Not MatMul of Transpose, for the same reason as in `kernel_matrix`.
    sums = g.Einsum(K, coefficients, equation="nbv,bvc->nbc")
    sums = g.Reshape(sums, g.Concat(g.rows(x), g.ints(-1), axis=0))
    both = (g.Gather(sums, piece(side), axis=1) for side in ("first", "second"))
    return g.Add(g.Add(*both), piece("biases"))


def _walked(g, x, member, piece):
    """Values of score trees: a turn of the loop evaluates one term of each row's path.

    A row that has reached its leaf stays there, and its further terms do not count.
    """
    kernel, n_rows = member.kernel, g.rows(x)
    roots = piece("roots")
    shape = g.Concat(n_rows, g.rows(roots), axis=0)
    vectors = piece("vectors", -1, piece("width"))

    def step(g, _, node):
        own = g.Gather(vectors, g.Gather(piece_of["column"], node))
        term = kernel_values(g, g.Unsqueeze(x, g.ints(1)), own, kernel, piece)
        goes_left = g.LessOrEqual(term, g.Gather(piece_of["threshold"], node))
        links = (g.Gather(piece_of[side], node) for side in ("left", "right"))
        return [g.Where(goes_left, *links), term]

    names = ("column", "threshold", "left", "right")
    piece_of = {name: piece(name) for name in names}
    start = g.Expand(roots, shape)
    leaf, terms = g.loop(piece("height"), [(start, np.int64)], step, n_collected=1)
    # (height, rows, trees): the j-th term times the j-th coefficient of the leaf.
    place = g.Range(g.constant(0), g.Squeeze(piece("height")), g.constant(1))
    place = g.Reshape(place, g.ints(-1, 1, 1))
    is_met = g.Less(place, g.Gather(piece("depth"), leaf))
    number = g.Add(g.Gather(piece("start"), leaf), place)
    number = g.Where(is_met, number, g.ints(0))
    coefficients = piece("coefficients", -1, piece("n_columns"))
    terms = g.Where(is_met, terms, g.constant(0.0))
    terms = g.Mul(g.Unsqueeze(terms, g.ints(3)), g.Gather(coefficients, number))
    offsets = g.Gather(piece("offsets", -1, piece("n_columns")), leaf)
    values = g.Add(g.ReduceSum(terms, g.ints(0), keepdims=0), offsets)
    return g.Reshape(values, g.Concat(n_rows, g.ints(-1), axis=0))


def _arrays_of(member):
    """Return for every part {name: array} of its machine, or None."""
    made = []
    for machine in member.machines:
        if machine is None:
            made.append(None)
            continue
        scaling = machine.scaling
        record = {
            "columns": scaling.columns.astype(np.int64),
            "shift": scaling.shift,
            "factor": scaling.factor,
            "gamma": np.array([machine.kernel.gamma]),
            "width": np.array([machine.vectors.shape[1]]),
            "vectors": machine.vectors,
        }
        if scaling.table is not None:
            record |= {"knots": scaling.table.values, "levels": scaling.table.levels}
        if isinstance(machine, Walk):
            record |= _walk_arrays(machine)
        else:
            record |= _sum_arrays(machine, member.is_blocked)
        if member.n_classes is not None and member.n_classes > 2:
            record |= side_arrays(machine.pairs, member.n_classes)
        made.append({name: _plain(array) for name, array in record.items()})
    return made


def _plain(array):
    """Return an array in double precision, integers as they are indexed by."""
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _shortened(data):
    """Return numbers in single precision, if that changes none of them."""
    if data.dtype.kind != "f":
        return data
    with np.errstate(over="ignore"):
        single = data.astype(np.float32)
    return single if (single == data).all() else data


def _sum_arrays(machine, is_blocked):
    """Arrays of a sum; coefficients are in blocks of equal length, with zeros."""
    blocks, columns = machine.machine_ids.shape
    sizes, n_vectors = np.diff(machine.starts), len(machine.vectors)
    longest, n_machines = int(sizes.max()), len(machine.biases)
    place = np.repeat(np.arange(blocks) * longest - machine.starts[:-1], sizes)
    place = place + np.arange(n_vectors)
    blocked = np.full(blocks * longest, n_vectors)  # the kernel of no vector is zero
    blocked[place] = np.arange(n_vectors)
    coefficients = np.zeros((blocks * longest, columns))
    coefficients[place] = machine.coefficients
    first, second = np.full(n_machines, -1), np.full(n_machines, -1)
    for number, machine_id in enumerate(machine.machine_ids.ravel().tolist()):
        side = second if first[machine_id] >= 0 else first
        side[machine_id] = number
    if blocks * columns == n_machines:  # one block has all of a machine: two halves
        second = first
        coefficients = coefficients / 2 if is_blocked else coefficients
    per_row = n_vectors * (machine.vectors.shape[1] if machine.kernel.power == 1 else 1)
    return {
        "centre": machine.vectors.mean(axis=0),
        "blocked": blocked,
        "coefficients": coefficients,
        "n_blocks": np.array([blocks]),
        "n_columns": np.array([columns]),
        "first": first,
        "second": second,
        "biases": machine.biases,
        "task_rows": _task_rows(per_row),
    }


def _task_rows(numbers_of_a_row):
    return np.clip(np.array([_TASK_NUMBERS // numbers_of_a_row]), 1, _TASK_ROWS)


def _walk_arrays(machine):
    """Arrays of score trees; a leaf is its own child, since rows stay there."""
    nodes, trees = joined_trees(machine.trees), machine.trees
    here = np.arange(len(nodes["left"]))
    for side in ("left", "right"):
        nodes[side] = np.where(nodes[side] == LEAF, here, nodes[side])
    height, width = max(tree.height for tree in trees), machine.vectors.shape[1]
    per_row = len(trees) * (width + height * trees[0].n_outputs)
    return nodes | {
        "height": np.array([height]),
        "n_columns": np.array([trees[0].n_outputs]),
        "task_rows": _task_rows(per_row),
    }
