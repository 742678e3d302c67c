"""The training scripts are no package: they find each other, and the test them, by their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "train"))
