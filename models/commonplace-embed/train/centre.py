"""Write centre.npy: the mean vector of texts of both languages, which is subtracted where cosines must be spread.

python centre.py MODEL.onnx TOKENIZER.json PARALLEL.tsv.xz CENTRE.npy
"""

import lzma
import random
import sys
from pathlib import Path

import numpy as np
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

PAIRS = 3_000
GROUPS = "cpo"  # dictionary entries are no texts
SEED = 1


def drawn_texts(parallel: Path, pairs: int) -> list[str]:
    """Both sides of pairs drawn at random."""
    with lzma.open(parallel, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    whole = [row for row in rows if row[0] in GROUPS and row[2]]
    chosen = random.Random(SEED).sample(whole, min(pairs, len(whole)))
    return [text for _, english, german in chosen for text in (english, german)]


def embed(session: InferenceSession, tokenizer: Tokenizer, text: str) -> np.ndarray:
    """A text's vector."""
    read = tokenizer.encode(text)
    inputs = {"input_ids": np.array([read.ids]), "attention_mask": np.array([read.attention_mask])}
    return session.run(None, inputs)[0][0]


def main(model: Path, tokenizer_file: Path, parallel: Path, out: Path, pairs: int = PAIRS) -> None:
    """Draw, embed and average."""
    session, tokenizer = InferenceSession(model), Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_truncation(512)
    vectors = [embed(session, tokenizer, text) for text in drawn_texts(parallel, pairs)]
    np.save(out, np.mean(vectors, axis=0))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]))
