"""The command ``treesvm``: arguments in, one call, text out.

Nothing heavy is imported before the arguments are understood: the rooms of public names
load what they need at first use, and what is not among them is imported where it is
called.
"""
