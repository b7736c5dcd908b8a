"""The one error of model files."""


class ModelFileError(ValueError):
    """A model file is damaged, hostile, too large or too new; the message says which.

    Nothing of such a file has been used when this is raised.
    """


def require(condition, message):
    """Raise a `ModelFileError` unless the condition holds."""
    if not condition:
        raise ModelFileError(message)
