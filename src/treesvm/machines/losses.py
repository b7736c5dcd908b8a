"""What a binary machine minimises besides its norm, and who solves that.

hinge    rows beyond the margin cost nothing: few vectors, sharp borders
squared  every row is pulled to its label: values that rank rows away from the border

Of regressors the hinge is that of errors beyond epsilon, on both sides.
"""

from treesvm.machines.path import GramChain
from treesvm.machines.squares_chain import SquaresChain

CHAINS = {"hinge": GramChain, "squared": SquaresChain}
