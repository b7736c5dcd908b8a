"""The command ``treesvm``: arguments in, one call, text out."""
