"""What Ryu and Lee (2020) published: Tables 3, 4 and 6, for the sets that we have."""

# Set -> share -> method -> (accuracy, deviation), Table 4.
_TABLE_4 = """
iris_setosa     0.1 100   0    100   0     100   0     100   0
iris_versicolor 0.1 95.43 0.98 78.54 12.71 52.29 17.53 87.71 2.22
iris_virginica  0.1 96.57 2.24 87.99 6.55  91.71 4.07  91.5  4.72
breast_cancer_wisconsin 0.1 96.99 0.89 95.36 0.5 96.3 0.95 96.24 1.04
fourclass       0.1 100   0    93.19 0.08  93.28 3.58  93.24 2.4
checkerboard    0.1 94.3  0.63 84.61 1.47  -     -     79.34 3.13
german_numeric  0.1 75.7  0.7  69.87 0.75  70    0.04  70.55 0.97
ida_waveform    0.1 89.85 0.63 85.5  0.73  87.51 0.65  89.01 0.51
banana          0.1 90.6  0.69 64.13 2.69  83.46 1.77  88.8  0.4
mushroom        0.1 100   0    90.67 0.62  84.99 7.23  99.83 0.12
a9a             0.1 84.7  0.14 78.48 0.29  81.27 0.72  84.24 0.16
ijcnn1          0.1 99.27 0.7  97.02 0.12  97.55 0.1   98.39 0.05
iris_setosa     0.2 100   0    100   0     100   0     100   0
iris_versicolor 0.2 95.43 0.98 89.44 3.92  51.72 17.02 93.43 1.48
iris_virginica  0.2 96.57 2.24 93.43 2.2   94.26 2.17  90.31 3.03
breast_cancer_wisconsin 0.2 96.99 0.89 95.55 1.09 96.49 0.91 96.3 0.95
fourclass       0.2 100   0    96.42 1.78  95.38 1.63  98.81 0.8
checkerboard    0.2 94.3  0.63 93.66 1.09  -     -     83.66 2.48
german_numeric  0.2 75.7  0.7  70.04 0.01  70    0.04  70.56 0.62
ida_waveform    0.2 89.85 0.63 88.35 0.75  88.55 0.73  89.28 0.49
banana          0.2 90.6  0.69 79.86 2.02  85.14 1.5   89.69 0.36
mushroom        0.2 100   0    97.09 1.12  97.37 0.88  99.91 0.1
a9a             0.2 84.7  0.14 78.86 0.26  82.19 0.42  84.61 0.18
ijcnn1          0.2 99.27 0.7  98.41 0.05  98.07 0.09  98.72 0.07
iris_setosa     0.3 100   0    100   0     100   0     100   0
iris_versicolor 0.3 95.43 0.98 92.3  2.44  59.87 14.47 94.01 2.57
iris_virginica  0.3 96.57 2.24 93.98 2.03  95.51 2.53  94.31 1.77
breast_cancer_wisconsin 0.3 96.99 0.89 96.42 0.69 96.36 0.55 96.17 0.79
fourclass       0.3 100   0    96.62 1.52  95.62 1.6   99.5  0.66
checkerboard    0.3 94.3  0.63 93.96 1     -     -     87.18 2.3
german_numeric  0.3 75.7  0.7  69.95 0.22  70    0.04  70.81 0.87
ida_waveform    0.3 89.85 0.63 89.1  0.38  88.93 0.71  89.47 0.34
banana          0.3 90.6  0.69 81.47 0.74  86.63 1.83  90.09 0.49
mushroom        0.3 100   0    97.79 0.71  97.87 0.28  99.95 0.07
a9a             0.3 84.7  0.14 80.35 0.2   83.18 0.28  84.68 0.13
ijcnn1          0.3 99.27 0.7  98.68 0.06  98.3  0.08  98.86 0.06
"""

# Set -> seconds of selection and of training at a share of 0.3, Table 6: training of
# the SVM, then both for CVS, FLD and TRSD.
_TABLE_6 = """
iris_setosa     0.01   0    0.01 0    0.01 0    0.01
iris_versicolor 0.01   0    0.01 0    0.01 0    0.01
iris_virginica  0.01   0    0.01 0    0.01 0    0.01
breast_cancer_wisconsin 0.01 0 0.01 0.07 0.01 0.04 0.01
fourclass       0.01   0    0.01 0.06 0.01 0.04 0.01
checkerboard    0.03   0    0.01 -    -    0.09 0.01
german_numeric  0.09   0.01 0.02 0.33 0.02 0.27 0.02
ida_waveform    1.03   0.18 0.17 0.58 0.13 0.3  0.11
banana          0.59   0    0.17 0.08 0.04 0.05 0.05
mushroom        1.47   1.9  0.27 0.99 0.72 0.71 0.26
a9a             373.24 44.5 82.88 16.52 60.66 8.84 34.18
ijcnn1          224.29 6.06 31.73 10.08 24.67 5.77 19.66
"""

METHODS = ("SVM", "CVS", "FLD", "TRSD")

# (C, γ) of Table 3 on the large sets; None is 1 / number of features.
TABLE_3 = {
    "a9a": {"SVM": (10, 0.001), "CVS": (10, 0.01), "FLD": (100, 0.001),
            "TRSD": (10, 0.001)},
    "ijcnn1": {"SVM": (10, 0.1), "CVS": (100, None), "FLD": (100, 0.01),
               "TRSD": (10, None)},
}  # fmt: skip


def accuracies():
    """Return {(set, share): {method: (accuracy, deviation)}} of Table 4."""
    found = {}
    for line in _TABLE_4.strip().splitlines():
        name, share, *values = line.split()
        pairs = zip(values[::2], values[1::2], strict=True)
        found[name, float(share)] = {
            method: (float(mean), float(deviation))
            for method, (mean, deviation) in zip(METHODS, pairs, strict=True)
            if mean != "-"
        }
    return found


def seconds():
    """Return {set: {method: (selection, training)}} of Table 6."""
    found = {}
    for line in _TABLE_6.strip().splitlines():
        name, svm, *values = line.split()
        pairs = zip(values[::2], values[1::2], strict=True)
        found[name] = {"SVM": (0.0, float(svm))} | {
            method: (float(choice), float(training))
            for method, (choice, training) in zip(METHODS[1:], pairs, strict=True)
            if choice != "-"
        }
    return found
