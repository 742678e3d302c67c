"""The install's embedder, and the loader that every local ONNX model shares.

Texts run through a model one at a time. Its int8 activations are scaled anew in every run, so in a batch a text's
vector would depend on its neighbours, and a rebuilt store would answer differently. Batches were no faster.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from commonplace.model.errors import Damaged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

ERRORS_ONLY = 3


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory."""

    tokenizer: Tokenizer
    session: InferenceSession


class OnnxModel:
    """A folder's model.onnx and tokenizer.json: read on first use, shared by any number of threads."""

    def __init__(self, folder: Path, *, max_tokens: int = 512, threads: int = 0) -> None:
        self._folder = folder
        self._max_tokens = max_tokens
        self._threads = threads
        self._lock = Lock()
        self._loaded: Loaded | None = None

    def run(self, text: str, second: str | None = None) -> NDArray[np.float32]:
        """What the model gives for a text, or for a pair of texts, cut to the tokens it can read."""
        import numpy as np

        model = self._load()
        read = model.tokenizer.encode(text, second)
        offered = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        wanted = {put.name: np.array([offered[put.name]], np.int64) for put in model.session.get_inputs()}
        answer: NDArray[np.float32] = model.session.run(None, wanted)[0][0]
        return answer

    def count_tokens(self, text: str) -> int:
        """How many tokens the whole text has, those beyond the cut too, without the ones that frame it."""
        read = self._load().tokenizer.encode(text, add_special_tokens=False)
        return len(read) + sum(len(rest) for rest in read.overflowing)

    def _load(self) -> Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = Loaded(self._open_tokenizer(), self._open_session())
            return self._loaded

    def _open_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._max_tokens)
        tokenizer.no_padding()
        return tokenizer

    def _open_session(self) -> InferenceSession:
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = min(self._threads, os.cpu_count() or 1)
        options.log_severity_level = ERRORS_ONLY
        return InferenceSession(self._folder / "model.onnx", options, providers=["CPUExecutionProvider"])


class OnnxEmbedder:
    """An embedder from a folder whose model gives unit vectors; the same text always has the same one."""

    def __init__(self, folder: Path, name: str, dimensions: int, *, max_tokens: int = 512, threads: int = 0) -> None:
        self.name = name
        self.dimensions = dimensions
        self._folder = folder
        self._model = OnnxModel(folder, max_tokens=max_tokens, threads=threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per text, as rows in order."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._model.run(text)
        return vectors

    def count_tokens(self, text: str) -> int:
        """How many tokens the model would read, were there no limit."""
        return self._model.count_tokens(text)

    def centred(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unit vectors seen from the middle of all texts: unrelated ones are then about orthogonal."""
        import numpy as np

        if self._centre is None:
            return vectors
        moved = vectors - self._centre
        spread: NDArray[np.float32] = moved / np.linalg.norm(moved, axis=-1, keepdims=True)
        return spread

    @cached_property
    def _centre(self) -> NDArray[np.float32] | None:
        import numpy as np

        file = self._folder / "centre.npy"
        if not file.exists():
            return None
        centre: NDArray[np.float32] = np.load(file)
        return centre


def default_embedder(threads: int = 0) -> OnnxEmbedder:
    """The bilingual embedder that comes with every install."""
    import commonplace_embed

    return OnnxEmbedder(commonplace_embed.FOLDER, commonplace_embed.NAME, commonplace_embed.DIMENSIONS, threads=threads)


def verify_digests(folder: Path, digests: Mapping[str, str]) -> None:
    """Check that a model's files are the published ones, by their sha256."""
    for name, digest in digests.items():
        file = folder / name
        if not file.is_file():
            raise Damaged(f"The model file {name} is missing from {folder}; install the model again.", file=name)
        if _sha256(file) != digest:
            raise Damaged(f"The model file {name} in {folder} is not the published one; install it again.", file=name)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
