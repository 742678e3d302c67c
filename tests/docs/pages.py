"""The documents as these tests read them: their pages and the blocks of code in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a language, in order."""
    return [body for named, body in BLOCK.findall(page.read_text("utf-8")) if named == language]


def told(page: Path) -> str:
    """A page as it is told to people."""
    return page.relative_to(ROOT).as_posix()
