"""A small builder of ONNX graphs: operators are called, names take care of themselves.

    g = Graph()
    y = g.Add(g.MatMul(x, g.constant(weights)), g.constant(bias))

Bodies of loops see the names of the graphs around them, so constants live once, in the
outermost graph.
"""

import numpy as np

try:
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    raise ImportError(
        "ONNX needs the package onnx: pip install 'treesvm[onnx]'"
    ) from error

ML = "ai.onnx.ml"
OPSETS = {"": 18, ML: 3}
_IR_VERSION = 8  # the first that came with this opset: older runtimes read it too
_ML_OPERATORS = {"LabelEncoder", "TreeEnsembleRegressor"}


class Graph:
    """Nodes in the order of their making.

    Parameters
    ----------
    outer : Graph, optional
        The graph around this one, which is the body of a loop.
    taken : collection of str
        Names that users gave.
    """

    def __init__(self, outer=None, taken=()):
        self.nodes = []
        self._top = self if outer is None else outer._top
        if outer is None:
            self.initializers, self._constants, self._n_names = [], {}, 0
            self._taken = frozenset(taken)

    def __getattr__(self, operator):
        """Return a function that adds a node: ``g.Add(a, b)`` names its output."""
        if operator.startswith("_"):
            raise AttributeError(operator)
        return lambda *inputs, **attributes: self.add(operator, inputs, **attributes)

    def add(self, operator, inputs, n_outputs=1, **attributes):
        """Add a node; return the name of its output, or a list of several."""
        outputs = [self.name() for _ in range(n_outputs)]
        domain = ML if operator in _ML_OPERATORS else ""
        self.nodes.append(
            helper.make_node(operator, inputs, outputs, domain=domain, **attributes)
        )
        return outputs[0] if n_outputs == 1 else outputs

    def name_output(self, value, name):
        """Give a value the name that users know it by."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))

    def name(self):
        """Return a name that nothing has yet."""
        top = self._top
        top._n_names += 1
        made = f"v{top._n_names}"
        return self.name() if made in top._taken else made

    def constant(self, values, dtype=None):
        """Return the name of a constant; equal ones are stored once."""
        values = np.asarray(values, dtype=dtype)
        content = tuple(values.ravel()) if values.dtype == object else values.tobytes()
        key = (str(values.dtype), values.shape, content)
        known = self._top._constants
        if key not in known:
            known[key] = self.name()
            tensor = numpy_helper.from_array(values, known[key])
            self._top.initializers.append(tensor)
        return known[key]

    def ints(self, *values):
        """Return the name of a 1-D constant of integers, as shapes and axes are."""
        return self.constant(values, np.int64)

    def cast(self, x, dtype):
        """Return x in another type."""
        return self.Cast(x, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def rows(self, x):
        """Return the number of rows of x, as a 1-D tensor."""
        return self.Shape(x, start=0, end=1)

    def loop(self, count, states, body, n_collected=0):
        """Run `body` `count` times.

        Parameters
        ----------
        count : str
            Name of a 1-D tensor of one integer.
        states : list of (name, dtype)
            What one turn hands to the next.
        body : callable
            ``body(graph, turn, *states)`` returns the new states and then what is
            collected, one row for each turn.  The turn is a 1-D tensor of one integer.

        Returns
        -------
        list of str
            Names of the last states and of what was collected.
        """
        inner, turn, going = Graph(self), self.name(), self.name()
        own = [self.name() for _ in states]
        number = inner.Unsqueeze(turn, inner.ints(0))
        results = body(inner, number, *own)
        outputs = [inner.Identity(going), *(inner.Identity(name) for name in results)]
        inputs = [_value(turn, np.int64, []), _value(going, np.bool_, [])]
        inputs += [
            _value(name, dtype, None)
            for name, (_, dtype) in zip(own, states, strict=True)
        ]
        graph = helper.make_graph(
            inner.nodes,
            self.name(),
            inputs,
            [helper.make_empty_tensor_value_info(name) for name in outputs],
        )
        once_more = self.constant(np.array(True))
        given = [self.Squeeze(count), once_more, *(name for name, _ in states)]
        found = self.add("Loop", given, len(states) + n_collected, body=graph)
        return found if isinstance(found, list) else [found]


def _value(name, dtype, shape):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, kind, shape)


def tensor_type(dtype):
    """Return ONNX's name of a NumPy type; text has its own."""
    dtype = np.dtype(dtype)
    if dtype.kind in "OU":
        return TensorProto.STRING
    return helper.np_dtype_to_tensor_dtype(dtype)


def checked_model(g, inputs, outputs, words):
    """Return the model of a graph, after the checks of ONNX itself.

    Parameters
    ----------
    g : Graph
    inputs, outputs : list of (name, dtype, shape)
        Names are those that users see.
    words : dict
        Of the model: what is said about it.
    """

    def described(values):
        return [
            helper.make_tensor_value_info(name, tensor_type(dtype), shape)
            for name, dtype, shape in values
        ]

    graph = helper.make_graph(
        g.nodes,
        "treesvm",
        described(inputs),
        described(outputs),
        initializer=g.initializers,
    )
    opsets = [
        helper.make_opsetid(domain, version) for domain, version in OPSETS.items()
    ]
    model = helper.make_model(
        graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="treesvm"
    )
    helper.set_model_props(model, words)
    checker.check_model(model, full_check=True)
    return model
