"""The whole training, from pairs to the file that ships, on a vocabulary of letters and a model of two tiny layers."""

import json
import lzma
from itertools import product
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch, the product does not")
onnx = pytest.importorskip("onnx", reason="training needs onnx, the product does not")

import bert  # noqa: E402 - needs torch
import centre  # noqa: E402 - like the scripts above
import distil  # noqa: E402 - needs torch
import export  # noqa: E402 - needs torch
import teacher  # noqa: E402 - needs onnx
import tokenizer  # noqa: E402 - like the scripts above
from onnxruntime import InferenceSession  # noqa: E402 - needed only with the scripts
from tokenizers import Tokenizer  # noqa: E402 - needed only with the scripts

WHO = {"the dog": "der Hund", "the cat": "die Katze", "a bird": "ein Vogel", "my brother": "mein Bruder"}
WHO |= {"the girl": "das Mädchen", "the doctor": "die Ärztin", "our train": "unser Zug", "she": "sie"}
DOES = {"sleeps": "schläft", "waits": "wartet", "sings": "singt", "is late": "kommt spät", "dreams": "träumt"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TINY = {"layers": 2, "hidden": 64, "inner": 128}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's of the exporter that we mean to use


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the five steps read and write."""
    folder = tmp_path_factory.mktemp("trained")
    write_pairs(folder / "parallel.tsv.xz")
    old = write_old_tokenizer(folder / "old.json")
    torch.manual_seed(1)
    first = bert.Encoder(bert.Shape(len(old), **TINY))
    bert.pack(bert.weights_of(first), folder / "teacher.xz")
    tokenizer.main(folder / "old.json", folder / "parallel.tsv.xz", folder, size=90, count_min=2)
    names = ("teacher.xz", "old.json", "tokenizer.json", "init.npy", "parallel.tsv.xz", "")
    files = distil.arguments([str(folder / name) for name in names])
    distil.main(files, distil.Settings(sample=40, steps=3))
    export.main(folder / "weights.xz", folder / "model.onnx")
    return folder


def write_pairs(file: Path) -> None:
    pairs = list(product(WHO.items(), DOES.items()))
    groups = ["c"] * 20 + ["p"] * 5 + ["o"] * 5 + ["d"] * 5 + ["m"] * 5
    with lzma.open(file, "wt", encoding="utf-8") as lines:
        for group, ((who, wer), (does, tut)) in zip(groups, pairs, strict=True):
            lines.write(f"{group}\t{who} {does}\t{'' if group == 'm' else f'{wer} {tut}'}\n")


def write_old_tokenizer(file: Path) -> dict[str, int]:
    pieces = [*tokenizer.SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), "the", "cat", "##s"]
    vocabulary = {piece: at for at, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer.tokenizer_of(vocabulary).save(str(file))
    return vocabulary


def run(folder: Path, text: str) -> tuple[np.ndarray, np.ndarray]:
    read = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text)
    ids, mask = np.array([read.ids]), np.array([read.attention_mask])
    shipped = InferenceSession(folder / "model.onnx").run(None, {"input_ids": ids, "attention_mask": mask})[0][0]
    student = bert.encoder_of(bert.unpack(folder / "weights.xz")).eval()
    with torch.no_grad():
        return shipped, student(torch.tensor(ids), torch.tensor(mask).bool()).numpy()[0]


@pytest.mark.parametrize("text", ["der Hund schläft", "our train is late", "", "sie träumt " * 30])
def test_the_shipped_file_gives_the_vectors_that_were_learnt(trained: Path, text: str) -> None:
    shipped, learnt = run(trained, text)
    assert np.linalg.norm(shipped) == pytest.approx(1, abs=1e-5)
    assert shipped @ learnt > 0.98


def test_padding_does_not_reach_a_vector(trained: Path) -> None:
    student = bert.encoder_of(bert.unpack(trained / "weights.xz"), export.attend).eval()
    ids = torch.tensor([[7, 8, 9, 0, 0]])
    with torch.no_grad():
        padded, alone = student(ids, ids > 0), student(ids[:, :3], ids[:, :3] > 0)
    assert torch.allclose(padded, alone, atol=1e-6)


def test_the_student_has_learnt_something(trained: Path) -> None:
    before, after = bert.unpack(trained / "teacher.xz"), bert.unpack(trained / "weights.xz")
    assert not np.array_equal(before["layers.0.up.weight"], after["layers.0.up.weight"])
    assert len(after["word.weight"]) > len(before["word.weight"])


def test_new_pieces_come_after_the_old_ones_and_start_from_them(trained: Path) -> None:
    old, new = (json.loads((trained / name).read_text())["model"]["vocab"] for name in ("old.json", "tokenizer.json"))
    assert {piece: new[piece] for piece in old} == old
    starts = np.load(trained / "init.npy")
    assert len(starts) == len(new) - len(old) > 0
    assert tokenizer.split("##cats", old) == [old["##c"], old["##a"], old["##t"], old["##s"]]
    assert tokenizer.split("cats", old) == [old["cat"], old["##s"]]


def test_a_joined_batch_holds_its_texts_between_the_special_tokens(trained: Path) -> None:
    read = Tokenizer.from_file(str(trained / "old.json"))
    ids, mask = distil.Texts(read, ["ab", "c", "abc"]).batch(torch.tensor([[0, 1], [1, 1]]))
    a, b, c, start, end = (read.token_to_id(piece) for piece in ("a", "##b", "c", "[CLS]", "[SEP]"))
    assert ids.tolist() == [[start, a, b, c, end], [start, c, c, end, 0]]
    assert mask.sum(1).tolist() == [5, 4]


def test_the_rate_warms_up_and_falls_to_its_floor() -> None:
    assert distil.rate_at(0, 0.0, 1.5) == pytest.approx(0.01)
    assert distil.rate_at(150, 0.0, 1.0) == 1
    assert distil.rate_at(900, 1.0, 1.0) == pytest.approx(0.03)


def test_packed_weights_come_back_nearly_as_they_were(tmp_path: Path) -> None:
    large = np.random.default_rng(1).normal(size=(400, 300)).astype(np.float32)
    large[7] = 0
    weights = {"large": large, "small": np.linspace(-1, 1, 9, dtype=np.float32)}
    bert.pack(weights, tmp_path / "weights.xz")
    back = bert.unpack(tmp_path / "weights.xz")
    assert np.allclose(back["large"], large, atol=0.02)
    assert np.allclose(back["small"], weights["small"], atol=1e-3)


def test_the_shape_of_weights_is_read_from_them() -> None:
    shape = bert.Shape(31, layers=3, hidden=64, inner=96, positions=40)
    assert bert.shape_of(bert.weights_of(bert.Encoder(shape))) == shape


def test_a_teachers_nameless_matrices_are_found(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    blank = bert.weights_of(bert.Encoder(bert.Shape(31, **TINY)))
    weights = {name: chance.normal(size=values.shape).astype(np.float32) for name, values in blank.items()}
    export.write_float32(bert.encoder_of(weights, export.attend), tmp_path / "teacher.onnx")
    found = teacher.named_weights(onnx.load(tmp_path / "teacher.onnx").graph)
    assert all(np.array_equal(found[name], values) for name, values in weights.items())


def test_a_teachers_weights_get_our_names() -> None:
    ours = bert.weights_of(bert.Encoder(bert.Shape(9, layers=2, hidden=32, inner=64, positions=8)))
    theirs = {teacher.SEGMENTS: np.stack([ours["segment"], ours["segment"] + 1])}
    for name, values in ours.items():
        theirs |= {f"bert.{renamed(name)}": values} if name != "segment" else {}
    back = teacher.in_our_names({"bert.embeddings.position_ids": np.arange(8), **theirs})
    assert back.keys() == ours.keys()
    assert all(np.array_equal(back[name], values) for name, values in ours.items())


def renamed(name: str) -> str:
    if not name.startswith("layers."):
        return {ours: theirs for theirs, ours in teacher.OUTER.items()}.get(name) or f"embeddings.LayerNorm.{name[5:]}"
    _, layer, ours, end = name.split(".")
    inner = {ours: theirs for theirs, ours in teacher.INNER.items()}
    return f"encoder.layer.{layer}.{inner[ours]}.{end}"


def test_the_centre_is_the_mean_of_both_languages(trained: Path) -> None:
    names = ("model.onnx", "tokenizer.json", "parallel.tsv.xz", "centre.npy")
    centre.main(*(trained / name for name in names), pairs=2)
    texts = centre.drawn_texts(trained / "parallel.tsv.xz", 2)
    assert len(texts) == 4
    assert np.allclose(np.load(trained / "centre.npy"), np.mean([run(trained, text)[0] for text in texts], axis=0))
