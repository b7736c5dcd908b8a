"""What the support vector tree accepts as parameters."""

from treesvm.inputs.kernel_parameters import is_count, is_number

_REFITS = {False: None, True: "values", "values": "values", "margin": "margin"}


def loss_of(refit):
    """Name of the loss that a refit lowers, None without refit."""
    return _REFITS[refit]


def check_tree_parameters(model):
    """Raise a ValueError that names the first parameter out of range."""
    for name, (is_allowed, advice) in _RULES.items():
        if hasattr(model, name) and not is_allowed(getattr(model, name)):
            value = getattr(model, name)
            raise ValueError(f"{name}={value!r} is not possible; {advice}.")


def _is_refit(value):
    return isinstance(value, (bool, str)) and value in _REFITS


_RULES = {
    "max_height": (
        lambda value: value is None or is_count(value),
        "use a positive whole number, or None for the default",
    ),
    "min_rows": (is_count, "use a positive whole number of rows"),
    "n_starts": (is_count, "use a positive whole number"),
    "refit": (_is_refit, "use False, 'values' or 'margin'"),
    "split_rows": (
        lambda value: is_count(value) if not isinstance(value, str) else value == "cv",
        "use a positive whole number of rows, or 'cv'",
    ),
    "vectors": (
        lambda value: isinstance(value, str) and value in ("auto", "support", "rows"),
        "use 'auto', 'support' or 'rows'",
    ),
    "shared": (lambda value: isinstance(value, bool), "use True or False"),
    "object_kernel": (
        lambda value: value is None or callable(value),
        "use a function of two sequences of objects, or None",
    ),
    "cache_size": (
        lambda value: is_number(value, above=0.0),
        "use megabytes, above 0",
    ),
}
