"""Standard output is for JSON-RPC alone. Kept free of imports, so that it can be claimed before all others."""

import os
from typing import BinaryIO


def claim_stdout() -> BinaryIO:
    """Take standard output for ourselves; whatever else is printed, by libraries too, goes to standard error."""
    ours = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(ours, "wb")
