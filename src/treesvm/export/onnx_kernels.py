"""Rows as a machine sees them, and their kernels with its vectors, in ONNX."""

import numpy as np

from treesvm.kernels.kernel import Linear, Polynomial
from treesvm.machines.scaling import FARTHEST


def scaled_rows(g, x, member, piece):
    """Return the columns that a part's machine looks at, scaled."""
    x = g.Gather(x, piece("columns"), axis=1)
    if member.has_tables:
        x = _levels(g, x, piece)
    x = g.Mul(g.Sub(x, piece("shift")), piece("factor"))
    if member.is_scaled:
        x = g.Clip(x, g.constant(-FARTHEST), g.constant(FARTHEST))
    return x


def _levels(g, x, piece):
    """Return the levels of values in quantile tables; see `QuantileTable`."""
    width = piece("width")
    knots, levels = piece("knots", width, -1), piece("levels", width, -1)
    last = g.Sub(g.Shape(knots, start=1, end=2), g.ints(1))
    low = g.Gather(knots, g.ints(0), axis=1)
    high = g.Gather(knots, last, axis=1)
    low, high = (g.Transpose(edge, perm=[1, 0]) for edge in (low, high))
    is_reached = g.LessOrEqual(knots, g.Unsqueeze(x, g.ints(2)))
    k = g.Sub(g.ReduceSum(g.cast(is_reached, np.int64), g.ints(2)), g.ints(1))
    k = g.Max(g.ints(0), g.Min(k, g.Sub(last, g.ints(1))))

    def at(table, place):
        """Return the numbers of a table at a place in each feature of each row."""
        shape = g.Concat(g.rows(x), g.Shape(table), axis=0)
        found = g.GatherElements(g.Expand(table, shape), place, axis=2)
        return g.Squeeze(found, g.ints(2))

    after = g.Add(k, g.ints(1))
    share = g.Div(g.Sub(x, at(knots, k)), g.Sub(at(knots, after), at(knots, k)))
    rise = g.Sub(at(levels, after), at(levels, k))
    inside = g.Add(at(levels, k), g.Mul(share, rise))
    spread = g.Sub(high, low)
    below = g.Div(g.Sub(x, low), spread)
    above = g.Add(g.constant(1.0), g.Div(g.Sub(x, high), spread))
    outside = g.Where(g.LessOrEqual(x, low), below, above)
    is_outside = g.Or(g.LessOrEqual(x, low), g.GreaterOrEqual(x, high))
    return g.Where(is_outside, outside, inside)


def kernel_matrix(g, x, vectors, kernel, piece):
    """Return the kernel of every row with every vector."""
    if kernel.power == 1:
        apart = g.Sub(g.Unsqueeze(x, g.ints(1)), vectors)
        distances = g.ReduceL1(apart, g.ints(2), keepdims=0)
        return _fallen(g, distances, piece)
    if kernel.power == 2:  # distances keep more digits near zero
        x, vectors = (g.Sub(rows, piece("centre")) for rows in (x, vectors))
    # Not MatMul of Transpose: ONNX Runtime before 1.26 joins them to an operator that
    # it has in single precision only.
    products = g.Gemm(x, vectors, transB=1)
    if kernel.power is None:
        return _of_products(g, products, kernel, piece)
    norms = g.ReduceSumSquare(x, g.ints(1), keepdims=1)
    own = g.ReduceSumSquare(vectors, g.ints(1), keepdims=0)
    distances = g.Sub(g.Add(norms, own), g.Add(products, products))
    return _fallen(g, g.Max(distances, g.constant(0.0)), piece)


def kernel_values(g, x, vectors, kernel, piece):
    """Return the kernel along the last axis of x and vectors, which goes away."""
    if kernel.power is None:
        products = g.ReduceSum(g.Mul(x, vectors), g.ints(-1), keepdims=0)
        return _of_products(g, products, kernel, piece)
    norm = g.ReduceL1 if kernel.power == 1 else g.ReduceSumSquare
    return _fallen(g, norm(g.Sub(x, vectors), g.ints(-1), keepdims=0), piece)


def _fallen(g, distances, piece):
    return g.Exp(g.Neg(g.Mul(piece("gamma"), distances)))


def _of_products(g, products, kernel, piece):
    if isinstance(kernel, Linear):
        return products
    inner = g.Mul(piece("gamma"), products)
    inner = g.Add(inner, g.constant(float(kernel.coef0)))
    if isinstance(kernel, Polynomial):
        return g.Pow(inner, g.constant(float(kernel.degree)))
    return g.Tanh(inner)
