"""A matrix to multiply by, laid out so that a few rows cost little more than one.

A BLAS that is given a large matrix and a few rows first repacks the matrix, which takes
longer than to read it; a narrow block of columns it multiplies as it is. One row alone
it treats as a vector, which is slower than two.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BLOCK = 64


class Linear:
    """Rows (n, in) to rows (n, out), by matrices (out, in) one below the other."""

    def __init__(self, *matrices: Array):
        matrix = np.concatenate(matrices)
        self.width, inner = matrix.shape
        padded = np.pad(matrix, [(0, -self.width % BLOCK), (0, 0)])
        blocks = padded.reshape(-1, BLOCK, inner).swapaxes(1, 2)
        self._blocks = np.ascontiguousarray(blocks)

    def rows(self, numbers: Array) -> Array:
        """Some rows of the matrix, (n, in)."""
        found: Array = self._blocks[numbers // BLOCK, :, numbers % BLOCK]
        return found

    def __call__(self, rows: Array) -> Array:
        few = np.repeat(rows, 2, axis=0) if len(rows) == 1 else rows
        product: Array = (few @ self._blocks).swapaxes(0, 1)
        padded = BLOCK * len(self._blocks)
        return product.reshape(len(few), padded)[: len(rows), : self.width]
