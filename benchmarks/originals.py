"""Turn originals, as their publishers offer them, into the sets that benchmarks read.

``python -m benchmarks.originals RAW DATA`` looks for the files of every set anywhere
below RAW, packed (.gz, .bz2) or not, and writes one .npz file each, as the module
`benchmarks.data` describes it. Nothing is scaled, shuffled or left out. Where each set
comes from is in docs/benchmarks/data.md, whose table is `page_table`.
"""

import argparse
import bz2
import gzip
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from scipy import io as matlab
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.report import markdown_table
from treesvm.datasets import read_libsvm

_CHUNK_LINES = 50_000
_PACKED = {".gz": gzip.open, ".bz2": bz2.open}


class NotThere(Exception):
    """A file of a set is not below the folder of originals."""


class Folder:
    """Files below a folder, found by name whatever folder or packing they are in."""

    def __init__(self, raw):
        self.files = {}
        for path in sorted(Path(raw).rglob("*")):
            if path.is_file():
                self.files.setdefault(_plain_name(path).lower(), path)

    def find(self, name):
        path = self.files.get(name.lower())
        if path is None:
            raise NotThere(name)
        return path

    def matching(self, pattern):
        """Return the path of the first file whose name fits, in order of names."""
        for name, path in sorted(self.files.items()):
            if re.fullmatch(pattern, name):
                return path
        # Numbers that archives put in front are no part of the name people look for.
        raise NotThere(pattern.replace(r"(\d+_)?", "").replace("\\.", "."))


def _plain_name(path):
    return path.stem if path.suffix in _PACKED else path.name


def _lines(path):
    """Yield the lines of a text that hold a row: no comments, no blank ones."""
    opener = _PACKED.get(path.suffix, open)
    with opener(path, "rt", encoding="latin-1") as file:
        for line in file:
            if line.strip() and line[0] not in "|%@":
                yield line.strip()


@dataclass(frozen=True)
class Text:
    """Rows of fields, as in most of the UCI repository.

    `classes` are texts of labels in the order of their codes; by default labels are
    numbers and kept. `words` are numbers for texts such as "y" and "n". Columns named
    in `categorical` become codes into the sorted texts that occur; "?" is -1 there, and
    `missing` elsewhere.
    """

    files: tuple[str, ...]
    test: tuple[str, ...] = ()
    label: int = -1
    classes: Any = None
    delimiter: str | None = ","
    names: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    words: dict[str, float] | None = None
    missing: float = np.nan
    drop_first: bool = False

    @property
    def needed(self):
        return (*self.files, *self.test)

    def read(self, folder):
        parts = [self._columns(folder, self.files)]
        if self.test:
            parts.append(self._columns(folder, self.test))
        categories = {
            name: sorted({text for part in parts for text in set(part[0][k])} - {"?"})
            for k, name in enumerate(self.names)
            if name in self.categorical
        }
        made = {}
        for ending, (columns, labels) in zip(("", "_test"), parts, strict=False):
            made["X" + ending] = _compact(self._matrix(columns, categories))
            made["y" + ending] = _compact(self._codes(labels))
        if self.names:
            made["feature_names"] = json.dumps(self.names)
        if categories:
            made["categories"] = json.dumps(categories)
        return made

    def _columns(self, folder, files):
        """Return the feature columns and the labels; numbers are parsed in chunks."""
        chunks, held = [], []
        for name in files:
            for line in _lines(folder.find(name)):
                held.append([field.strip() for field in line.split(self.delimiter)])
                if len(held) == _CHUNK_LINES:
                    chunks.append(self._parsed(held))
                    held = []
        if held:
            chunks.append(self._parsed(held))
        *columns, labels = (np.concatenate(c) for c in zip(*chunks, strict=True))
        return columns, labels

    def _parsed(self, rows):
        """Return columns, the label last: text where it is wanted, else numbers."""
        columns = list(zip(*rows, strict=True))
        labels = columns.pop(self.label)
        columns = [*columns[self.drop_first :], labels]
        texts = {k for k, name in enumerate(self.names) if name in self.categorical}
        if self.classes is not None:
            texts.add(len(columns) - 1)
        known = {"?": self.missing} | (self.words or {})
        return [
            np.array(column, dtype=object)
            if k in texts
            else np.array([known.get(c, c) for c in column], dtype=float)
            for k, column in enumerate(columns)
        ]

    def _matrix(self, columns, categories):
        numbers = []
        for k, column in enumerate(columns):
            if column.dtype == object:
                codes = {
                    text: code for code, text in enumerate(categories[self.names[k]])
                }
                column = np.array([codes.get(text, -1) for text in column], dtype=float)
            numbers.append(column)
        return np.column_stack(numbers)

    def _codes(self, labels):
        if self.classes is None:
            return labels
        codes = {text: code for code, text in enumerate(self.classes)}
        if isinstance(self.classes, dict):
            codes = self.classes
        return np.array([codes[str(text).strip("'.")] for text in labels], dtype=float)


@dataclass(frozen=True)
class Libsvm:
    """LIBSVM text; all its files are one set, or the second one is the test part."""

    files: tuple[str, ...]
    test: tuple[str, ...] = ()
    is_sparse: bool = False
    first_label: int | None = None  # which becomes 0

    @property
    def needed(self):
        return (*self.files, *self.test)

    def read(self, folder):
        parts = {"": self.files} | ({"_test": self.test} if self.test else {})
        found = {
            ending: [read_libsvm(folder.find(name), zero_based=False) for name in names]
            for ending, names in parts.items()
        }
        width = max(X.shape[1] for pairs in found.values() for X, _ in pairs)
        made = {}
        for ending, pairs in found.items():
            X = sparse.vstack([_widened(X, width) for X, _ in pairs], format="csr")
            y = np.concatenate([y for _, y in pairs])
            y = y if self.first_label is None else y - self.first_label
            made["y" + ending] = _compact(y)
            if self.is_sparse:
                made |= _csr_arrays(X, "test_" if ending else "")
            else:
                made["X" + ending] = _compact(X.toarray())
        return made


def _widened(X, width):
    return sparse.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], width))


def _csr_arrays(X, prefix):
    return {
        f"{prefix}data": _compact(X.data),
        f"{prefix}indices": X.indices.astype(np.int32),
        f"{prefix}indptr": X.indptr.astype(np.int32),
        f"{prefix}shape": np.array(X.shape, dtype=np.int64),
    }


@dataclass(frozen=True)
class Idx:
    """Images and labels in the format of MNIST."""

    files: tuple[str, str]
    test: tuple[str, str]

    @property
    def needed(self):
        return (*self.files, *self.test)

    def read(self, folder):
        made = {}
        for ending, names in (("", self.files), ("_test", self.test)):
            images, labels = (_idx(folder.find(name)) for name in names)
            made |= {
                f"X{ending}": images.reshape(len(images), -1),
                f"y{ending}": labels,
            }
        return made


def _idx(path):
    """Return an array of bytes: a type, the number of axes, their sizes, the values."""
    with _PACKED.get(path.suffix, open)(path, "rb") as file:
        content = file.read()
    kind, n_axes = content[2], content[3]
    if content[:2] != b"\0\0" or kind != 8:
        raise ValueError(f"{path}: this is no idx file of bytes.")
    shape = np.frombuffer(content, ">i4", n_axes, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).reshape(shape)


@dataclass(frozen=True)
class Mat:
    """One problem of the benchmark of Raetsch, of which all are in one file."""

    problem: str
    needed: tuple[str, ...] = ("benchmarks.mat",)

    def read(self, folder):
        stored = matlab.loadmat(folder.find(self.needed[0]), squeeze_me=True)
        problem = stored[self.problem]
        X, y = problem["x"].item(), problem["t"].item()
        return {"X": _compact(X.astype(float)), "y": _compact(y.astype(float).ravel())}


@dataclass(frozen=True)
class Words:
    """Texts, one a line behind their class, as counts of words that occur twice."""

    files: tuple[str]
    test: tuple[str]

    @property
    def needed(self):
        return (*self.files, *self.test)

    def read(self, folder):
        parts = {}
        for ending, (name,) in (("", self.files), ("_test", self.test)):
            pairs = [line.partition("\t") for line in _lines(folder.find(name))]
            parts[ending] = [p[0] for p in pairs], [p[2] for p in pairs]
        counter = CountVectorizer(token_pattern="[a-z]+", min_df=2)
        counter.fit(parts[""][1])
        classes = sorted(set(parts[""][0]))
        made = {"class_names": json.dumps(classes)}
        for ending, (labels, texts) in parts.items():
            X = counter.transform(texts)
            X.sort_indices()
            made |= _csr_arrays(X, "test_" if ending else "")
            codes = [classes.index(label) for label in labels]
            made["y" + ending] = _compact(np.array(codes, dtype=float))
        return made


@dataclass(frozen=True)
class Pmlb:
    """A table of the Penn Machine Learning Benchmarks: name.tsv.gz, with a header."""

    name: str

    @property
    def needed(self):
        return (f"{self.name}.tsv.gz",)

    def read(self, folder):
        # Regression tables have a number of OpenML in front of their names.
        path = folder.matching(rf"(\d+_)?{re.escape(self.name.lower())}\.tsv")
        lines = _lines(path)
        names = next(lines).split("\t")
        rows = np.loadtxt(lines, delimiter="\t", ndmin=2)
        place = names.index("target")
        y = rows[:, place]
        is_classes = not np.any(y % 1.0) and len(np.unique(y)) < 50
        X = np.delete(rows, place, axis=1).astype(np.float32)
        return {"X": X, "y": _compact(y) if is_classes else y.astype(np.float32)}


def _compact(values):
    """Return numbers in the smallest type that keeps them."""
    values = np.asarray(values)
    is_whole = np.isfinite(values).all() and not np.any(values % 1.0)
    if not is_whole:
        small = values.astype(np.float32)
        whole = np.isfinite(values) & (values % 1.0 == 0.0)
        return small if np.array_equal(small[whole], values[whole]) else values
    low, high = values.min(initial=0), values.max(initial=0)
    kinds = (np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64)
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values


class Original(NamedTuple):
    """Where a set comes from, and how it is read."""

    origin: str
    reader: Any


_ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status"),
    *("occupation", "relationship", "race", "sex", "capital-gain", "capital-loss"),
    *("hours-per-week", "native-country"),
)
_ADULT_TEXTS = (
    *("workclass", "education", "marital-status", "occupation", "relationship"),
    *("race", "sex", "native-country"),
)
_MUSHROOM = (
    *("cap-shape", "cap-surface", "cap-color", "bruises", "odor", "gill-attachment"),
    *("gill-spacing", "gill-size", "gill-color", "stalk-shape", "stalk-root"),
    *("stalk-surface-above-ring", "stalk-surface-below-ring"),
    *("stalk-color-above-ring", "stalk-color-below-ring", "veil-type", "veil-color"),
    *("ring-number", "ring-type", "spore-print-color", "population", "habitat"),
)
_ATTACKS = {
    0: "normal",
    1: "apache2 back land mailbomb neptune pod processtable smurf teardrop udpstorm",
    2: "ipsweep mscan nmap portsweep saint satan",
    3: "ftp_write guess_passwd imap multihop named phf sendmail snmpgetattack "
    "snmpguess spy warezclient warezmaster worm xlock xsnoop",
    4: "buffer_overflow httptunnel loadmodule perl ps rootkit sqlattack xterm",
}
_KDD_CLASSES = {name: code for code, text in _ATTACKS.items() for name in text.split()}
_KDD_NAMES = (
    "duration",
    "protocol_type",
    "service",
    "flag",
    *(f"feature {j}" for j in range(5, 42)),
)
_KDD = {
    "names": _KDD_NAMES,
    "categorical": ("protocol_type", "service", "flag"),
    "classes": _KDD_CLASSES,
}
_IDA = "Raetsch, Onoda and Mueller's benchmark (IDA), problem `{}`"


def _uci(title, *files, **options):
    return Original(f"UCI, {title}", Text(files, **options))


def _libsvm(title, *files, **options):
    return Original(f"LIBSVM data sets, {title}", Libsvm(files, **options))


def _ida(problem):
    return Original(_IDA.format(problem), Mat(problem))


SETS = {
    "a9a": _libsvm("a9a (binary)", "a9a", test=("a9a.t",), is_sparse=True),
    "adult": _uci(
        "Adult",
        "adult.data",
        test=("adult.test",),
        names=_ADULT,
        categorical=_ADULT_TEXTS,
        classes=("<=50K", ">50K"),
    ),
    "australian": _uci("Statlog Australian Credit", "australian.dat", delimiter=None),
    "banana": _ida("banana"),
    "breast_cancer_wisconsin": _uci(
        "Breast Cancer Wisconsin (Original)",
        "breast-cancer-wisconsin.data",
        drop_first=True,
        missing=-1.0,
    ),
    "covtype": _uci("Covertype", "covtype.data"),
    "dna": _libsvm("dna (multi-class)", "dna.scale", "dna.scale.t", first_label=1),
    "fourclass": _libsvm("fourclass (binary), unscaled", "fourclass"),
    "german_numeric": _uci(
        "Statlog German Credit", "german.data-numeric", delimiter=None
    ),
    "heart_statlog": _uci("Statlog Heart", "heart.dat", delimiter=None),
    "hepatitis": _uci("Hepatitis", "hepatitis.data", label=0),
    "house_votes_84": _uci(
        "Congressional Voting Records",
        "house-votes-84.data",
        label=0,
        classes=("democrat", "republican"),
        words={"y": 1.0, "n": -1.0},
        missing=0.0,
    ),
    **{
        f"ida_{problem}": _ida(problem)
        for problem in (
            *("breast_cancer", "german", "image", "ringnorm", "splice", "thyroid"),
            *("twonorm", "waveform"),
        )
    },
    "ijcnn1": _libsvm("ijcnn1 (binary)", "ijcnn1", test=("ijcnn1.t",)),
    "ionosphere": _uci("Ionosphere", "ionosphere.data", classes=("b", "g")),
    "kdd99_10pct": Original("KDD Cup 1999", Text(("kddcup.data_10_percent",), **_KDD)),
    "letter": _uci(
        "Letter Recognition",
        "letter-recognition.data",
        label=0,
        classes=tuple(ascii_uppercase),
    ),
    "magic": _uci("MAGIC Gamma Telescope", "magic04.data", classes=("h", "g")),
    "mnist": Original(
        "LeCun, Cortes and Burges, MNIST",
        Idx(
            ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
            ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        ),
    ),
    "mushroom": _uci(
        "Mushroom",
        "agaricus-lepiota.data",
        label=0,
        names=_MUSHROOM,
        categorical=_MUSHROOM,
        classes=("e", "p"),
    ),
    "news20_bydate_counts": Original(
        "20 Newsgroups by date, all terms (A. Cardoso-Cachopo's collection)",
        Words(("20ng-train-all-terms.txt",), ("20ng-test-all-terms.txt",)),
    ),
    "pendigits": _libsvm("pendigits (multi-class)", "pendigits", test=("pendigits.t",)),
    "phoneme": Original("ELENA, phoneme, as CSV", Text(("phoneme.csv",))),
    "pima_diabetes": _uci("Pima Indians Diabetes", "pima-indians-diabetes.data"),
    "poker": _uci("Poker Hand, training part", "poker-hand-training-true.data"),
    "satimage": _uci(
        "Statlog Landsat Satellite",
        "sat.trn",
        test=("sat.tst",),
        delimiter=None,
        classes=("1", "2", "3", "4", "5", "7"),
    ),
    "sector_scale": _libsvm(
        "sector (multi-class), scaled",
        "sector.scale",
        test=("sector.t.scale",),
        is_sparse=True,
    ),
    "shuttle": _uci(
        "Statlog Shuttle", "shuttle.trn", test=("shuttle.tst",), delimiter=None
    ),
    "sonar": _uci("Connectionist Bench (Sonar)", "sonar.all-data", classes=("R", "M")),
    "spambase": _uci("Spambase", "spambase.data"),
    "svmguide1": _libsvm("svmguide1 (binary)", "svmguide1", test=("svmguide1.t",)),
    "usps": Original(
        "zip codes of The Elements of Statistical Learning",
        Text(("zip.train",), ("zip.test",), label=0, delimiter=None),
    ),
}
_LEAGUE_CLASSES = (
    *("allhypo", "ann_thyroid", "car", "churn", "clean2", "cmc", "coil2000"),
    *("connect_4", "credit_g", "fars", "hill_valley_with_noise"),
    *("hill_valley_without_noise", "hypothyroid", "krkopt", "led24", "led7"),
    *("mfeat_factors", "mfeat_fourier", "mfeat_karhunen", "mfeat_morphological"),
    *("mfeat_pixel", "mfeat_zernike", "nursery", "sleep", "tic_tac_toe", "tokyo1"),
    *("vowel", "waveform_40", "wine_quality_red", "wine_quality_white", "yeast"),
)
_LEAGUE_NUMBERS = (
    *("2dplanes", "bng_breasttumor", "bng_echomonths", "bng_lowbwt", "bng_pwlinear"),
    *("cpu_act", "cpu_small", "fried", "geographicaloriginalofmusic", "house_16h"),
    *("house_8l", "houses", "mv", "pol", "pollen", "puma8nh", "wind"),
)
for _kind, _names in (("c", _LEAGUE_CLASSES), ("r", _LEAGUE_NUMBERS)):
    for _name in _names:
        SETS[f"league/{_kind}_{_name}"] = Original("PMLB", Pmlb(_name))


def page_table():
    """Return the table of the page about the data: single sets, then the league."""
    rows = [
        {
            "set": f"`{name}`",
            "comes from": original.origin,
            "files": ", ".join(f"`{file}`" for file in original.reader.needed),
        }
        for name, original in SETS.items()
        if not name.startswith("league/")
    ]
    return markdown_table(rows)


def convert(raw, data, names=(), say: Callable[[str], Any] = print):
    """Write the sets whose originals are there; return how many that were."""
    folder, n_written = Folder(raw), 0
    for name in names or SETS:
        try:
            arrays = SETS[name].reader.read(folder)
        except NotThere as missing:
            say(f"{name}: skipped, {missing} is not in {raw}")
            continue
        target = Path(data, f"{name}.npz")
        target.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(target, **arrays)
        n_rows = len(arrays["y"]) + len(arrays.get("y_test", ()))
        say(f"{name}: {n_rows:,} rows")
        n_written += 1
    return n_written


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.originals", description=__doc__.splitlines()[0]
    )
    parser.add_argument("raw", type=Path, help="folder with the downloaded files")
    parser.add_argument("data", type=Path, help="folder for the .npz files")
    parser.add_argument("names", nargs="*", help="only these sets")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in SETS]
    if unknown or not options.raw.is_dir():
        print(f"unknown set {unknown[0]}" if unknown else f"no folder {options.raw}")
        return 2
    n_written = convert(options.raw, options.data, options.names)
    print(f"{n_written} of {len(options.names or SETS)} sets written to {options.data}")
    return 0 if n_written else 1


if __name__ == "__main__":
    sys.exit(main())
