"""The files of the embedder commonplace-embed, and what they are; reading them is up to the caller."""

from pathlib import Path

NAME = "commonplace-embed-1"
DIMENSIONS = 384
FOLDER = Path(__file__).parent
DIGESTS = {
    "model.onnx": "7e09493a0587b17ce487b6d586e90e6e304342050254e38b4e9d7ec641fca718",
    "tokenizer.json": "e262892e2f2e553f1e4b3d850290bf0b67a98b7ac550cbd680710646cb05a149",
    "centre.npy": "7799c96f2cc0c76345c530fc77cdc15888e9326a52da6e14b67e888836efad92",
}
"""sha256 of each file in FOLDER."""
