"""Gradients of decision values by the features, as the machine sees them.

The diagonal of the average gradient outer product says which features the machines
look at: G_j = sum over rows and binary machines of (df/dx_j)^2 (METHODS, kernels for
tables).
"""

import numpy as np

from treesvm.kernels.families import dense


def machine_gradients(machine, X):
    """Return the gradient of every binary machine's decision value at every row.

    Parameters
    ----------
    machine : KernelMachine
        Of a kernel with `has_gradient`.
    X : ndarray or CSR matrix of shape (n, n_features)
        Rows as the machine sees them.

    Returns
    -------
    ndarray of shape (n, n_machines, n_features), float64
    """
    out = np.zeros((X.shape[0], machine.n_machines, X.shape[1]))
    for rows, m, found in _gradients(machine, X, None, np.float64):
        out[rows, m] = found
    return out


def gradient_outer(machine, X, codes=None):
    """Return the sum over rows and binary machines of squared derivatives.

    Kernel values are float32; no array of all rows, machines and features is made.

    Parameters
    ----------
    machine, X
        As in `machine_gradients`.
    codes : ndarray of shape (n,), optional
        Classes of the rows: a machine of two classes counts only rows of theirs.  By
        default every row counts for every machine.

    Returns
    -------
    ndarray of shape (n_features,), float64
    """
    out = np.zeros(X.shape[1])
    for _, _, found in _gradients(machine, X, codes, np.float32):
        out += np.einsum("ij,ij->j", found, found)
    return out


def gradient_squares(machine, X, codes=None):
    """Return the squared derivatives of every row, summed over binary machines.

    Parameters
    ----------
    machine, X, codes
        As in `gradient_outer`.

    Returns
    -------
    ndarray of shape (n, n_features), float64
    """
    out = np.zeros(X.shape)
    for rows, _, found in _gradients(machine, X, codes, np.float32):
        out[rows] += found**2
    return out


def _gradients(machine, X, codes, dtype):
    """Yield rows, a machine, and its gradients there, in bounded memory."""
    kernel = machine.kernel
    if not kernel.has_gradient:
        raise ValueError(
            f"kernel={kernel.name!r} has no gradient by features here; use 'rbf', "
            "'laplacian' or 'linear'."
        )
    if machine.n_vectors == 0:  # the bias alone answers
        return
    vectors, terms = dense(machine.vectors), _terms_of(machine)
    for rows, K in kernel.blocks(X, machine.vectors, machine.support, dtype):
        numbers = np.arange(X.shape[0])[rows]
        part = dense(X[rows])
        for m, (own, coefficients) in enumerate(terms):
            counts = _counting(codes, numbers, machine.pairs[m])
            if len(own) == 0 or not counts.any():
                continue
            block = K if counts.all() else K[counts]
            block = block if len(own) == K.shape[1] else block.take(own, axis=1)
            found = kernel.gradient(part[counts], block, vectors[own], coefficients)
            yield numbers[counts], m, found


def _terms_of(machine):
    """Return the vectors of every binary machine and their coefficients."""
    W = machine.coefficient_matrix
    used = [np.flatnonzero(column) for column in W.T]
    return [(own, W[own, m]) for m, own in enumerate(used)]


def _counting(codes, numbers, pair):
    """Which rows count for a machine: those of its classes, -1 for all others."""
    if codes is None or pair[1] < 0:
        return np.ones(len(numbers), bool)
    return np.isin(codes[numbers], pair)
