import numpy as np


def gradient_outer(machine, X, codes=None):
    Z = np.asarray(machine.vectors, np.float64)
    X = np.asarray(X, np.float64)
    W = np.zeros((machine.n_vectors, machine.n_machines))
    for k, ids in enumerate(machine.machine_ids):
        own = slice(machine.class_starts[k], machine.class_starts[k + 1])
        W[own, ids] = machine.coefficients[own]
    K = machine.kernel.block(X, Z, np.float64)
    G = np.zeros(X.shape[1])
    use = np.ones((len(X), machine.n_machines), bool)
    if codes is not None:
        for m, (a, b) in enumerate(machine.pairs):
            if b >= 0:
                use[:, m] = (codes == a) | (codes == b)
    for j in range(X.shape[1]):
        d = X[:, [j]] - Z[:, j]
        d = 2 * d if machine.kernel.power == 2 else np.sign(d)
        g = -machine.kernel.gamma * ((K * d) @ W)
        G[j] = (g[use] ** 2).sum()
    return G
