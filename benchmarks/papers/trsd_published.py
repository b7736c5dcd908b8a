"""What Ryu and Lee (2020) published: Tables 3, 4, 5 and 6."""

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
waveform_1      0.1 91.26 0.3  83.7  0.87  89.46 0.38  90.06 0.5
waveform_2      0.1 91.76 0.48 84.52 1.23  89.77 0.97  90.31 0.48
phishing        0.1 96.69 0.26 90    0.49  93.28 0.69  93.96 0.26
w8a             0.1 99.11 0.04 97.4  0.05  97.83 0.3   98.38 0.09
skin            0.1 99.94 0    99.93 0.01  99.45 0.11  99.89 0.01
cod_rna         0.1 96.98 0.03 90.68 0.08  96.05 0.08  96.32 0.03
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
waveform_1      0.2 91.26 0.3  86.45 0.56  89.89 0.73  90.52 0.49
waveform_2      0.2 91.76 0.48 88.21 0.5   90.39 0.54  90.62 0.58
phishing        0.2 96.69 0.26 93.91 0.2   94.42 0.38  94.62 0.3
w8a             0.2 99.11 0.04 97.5  0.07  98.12 0.12  98.63 0.05
skin            0.2 99.94 0    99.94 0.01  99.73 0.06  99.9  0.01
cod_rna         0.2 96.98 0.03 95.44 0.03  96.19 0.03  96.43 0.03
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
waveform_1      0.3 91.26 0.3  87.49 0.33  90.18 0.46  90.8  0.34
waveform_2      0.3 91.76 0.48 89.63 0.43  90.71 0.66  91.09 0.63
phishing        0.3 96.69 0.26 94.51 0.16  94.75 0.3   94.93 0.14
w8a             0.3 99.11 0.04 97.71 0.08  98.36 0.07  98.83 0.06
skin            0.3 99.94 0    99.94 0.01  99.75 0.08  99.91 0
cod_rna         0.3 96.98 0.03 95.92 0.04  96.27 0.01  96.48 0.02
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
waveform_1      0.68   0.17 0.17 0.65 0.09 0.3  0.08
waveform_2      0.94   0.17 0.16 0.73 0.11 0.34 0.07
phishing        4.59   2.08 0.92 1.3  0.69 0.72 0.57
w8a             114.85 17.48 32.15 228.83 8.18 46.35 8.74
skin            20.23  0.3  3.54 3.22 3.79 2.3  1.48
cod_rna         4425.55 0.7 898.4 15.46 582.77 11.24 245.47
"""

METHODS = ("SVM", "CVS", "FLD", "TRSD")

# (C, γ) of Table 3 for METHODS; None is 1 / number of features. The columns of its last
# part (from german_numeric on) are torn in our text: what cannot be told is missing.
TABLE_3 = {
    "iris_setosa": ((10, 0.001), (100, 0.001), (100, 0.001), (100, 0.001)),
    "iris_versicolor": ((10, 0.1), (100, 0.1), (0.1, 0.01), (10, 1)),
    "iris_virginica": ((100, 0.01), (100, 0.01), (100, 0.001), (100, 0.1)),
    "breast_cancer_wisconsin": ((1, 0.01), (10, 0.001), (100, 0.001), (1, 0.1)),
    "fourclass": ((10, 1), (100, 1), (100, 1), (10, 1)),
    "checkerboard": ((100, 1), (100, 1), (100, 1), (100, 1)),
    "german_numeric": ((100, 0.001), (0.1, None), (1, 0.001), (1, 0.01)),
    "ida_waveform": ((10, 0.01), (1, 0.01), (1, 0.01), (10, 0.01)),
    "waveform_2": ((0.1, None), (10, 0.01), (100, 0.001), (1, None)),
    "banana": ((1, 1), (100, 1), (10, None), (1, 1)),
    "mushroom": ((100, 0.001), (10, 0.001), (0.1, 0.01), (100, 0.001)),
    "phishing": ((10, None), (1, 0.01), (100, 0.001), (100, 0.001)),
    "w8a": ((10, 0.001), (10, 0.01), (1, 0.001), (10, 0.001)),
    "a9a": ((10, 0.001), (10, 0.01), (100, 0.001), (10, 0.001)),
    "ijcnn1": ((10, 0.1), (100, None), (100, 0.01), (10, None)),
}

# Table 5: share -> sets on which TRSD is above, level with and below CVS, then FLD.
TABLE_5 = {
    0.1: (10, 6, 2, 9, 9, 0),
    0.2: (11, 4, 3, 9, 8, 1),
    0.3: (11, 4, 3, 10, 8, 0),
}


def parameters(name, method, n_features):
    """(C, γ) of Table 3, or None where it cannot be read; others have TRSD's."""
    if name not in TABLE_3:
        return None
    place = METHODS.index(method) if method in METHODS else -1
    C, gamma = TABLE_3[name][place]
    return float(C), 1.0 / n_features if gamma is None else float(gamma)


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
