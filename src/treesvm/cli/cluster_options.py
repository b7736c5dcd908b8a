"""Training on a Dask cluster, from options to one call."""

import contextlib
import re

from treesvm.cli.data_options import data_bytes, label_name, label_of

_SIZE = re.compile(r"\d+(\.\d+)?\s*([kMGT]i?)?B?")


def add_cluster_options(parser):
    """Add the options of long and of distributed training."""
    group = parser.add_argument_group("large data and long fits")
    group.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help="keep finished pieces there; the same command goes on after a kill "
        "(dtsvm, hlsvm)",
    )
    group.add_argument(
        "--cluster",
        metavar="local|ADDRESS",
        help="train on a Dask cluster: worker processes of this machine, or those of a "
        "scheduler such as tcp://host:8786; the file need not fit any memory",
    )
    group.add_argument(
        "--memory",
        metavar="SIZE",
        help="with --cluster local: most memory of each worker, such as 1GB",
    )
    group.add_argument(
        "--spool",
        metavar="FOLDER",
        help="with --cluster: where encoded blocks are kept while training, seen by "
        "all workers (default: this machine's temporary files)",
    )


def check_cluster_options(options):
    """Refuse options that would have no effect."""
    if options.cluster is None:
        for name in ("memory", "spool"):
            if getattr(options, name) is not None:
                raise ValueError(f"--{name} is about --cluster; add it.")
        return
    if options.cluster != "local" and "://" not in options.cluster:
        raise ValueError(
            f"--cluster {options.cluster}: say local, or the address of a scheduler "
            "such as tcp://host:8786."
        )
    if options.memory is not None:
        if options.cluster != "local":
            raise ValueError(
                "--memory is about --cluster local; workers elsewhere are started with "
                "their own: dask worker ADDRESS --memory-limit SIZE."
            )
        if not _SIZE.fullmatch(options.memory):
            raise ValueError(f"--memory {options.memory}: give a size such as 1GB.")


@contextlib.contextmanager
def opened_client(options):
    """Yield a client of the cluster that the options name."""
    from distributed import Client

    from treesvm.distributed import local_cluster

    if options.cluster != "local":
        with Client(options.cluster) as client:
            yield client
        return
    with (
        local_cluster(options.jobs, options.memory) as cluster,
        Client(cluster) as client,
    ):
        yield client


def fit_on_cluster(options, estimator, rules):
    """Train on a file of any size, encoded by rules; return a `FileFit`."""
    from treesvm.distributed.file_training import fit_file

    with opened_client(options) as client:
        return fit_file(
            options.data,
            estimator,
            client=client,
            folder=options.spool,
            label_name=label_name(options),
            label=label_of(options),
            categorical=options.categorical,
            drop=options.drop,
            zero_based=options.zero_based,
            **rules,
            max_bytes=data_bytes(options),
        )
