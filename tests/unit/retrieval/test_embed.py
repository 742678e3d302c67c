"""The real model, as it is installed."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import commonplace_embed
import numpy as np
import pytest

from commonplace.model.errors import Damaged
from commonplace.retrieval.embed import OnnxEmbedder, OnnxModel, default_embedder, verify_digests

GERMAN = "Der Zug hat Verspätung, weil es seit heute früh schneit."
ENGLISH = "The train is late because it has been snowing since this morning."
UNRELATED = "Die Bank hebt den Leitzins an."


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return default_embedder()


def test_the_installed_embedder_says_its_name_and_size(embedder: OnnxEmbedder) -> None:
    assert (embedder.name, embedder.dimensions) == ("commonplace-embed-1", 384)


def test_every_text_gets_a_unit_vector_in_order(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed([GERMAN, UNRELATED])
    assert vectors.shape == (2, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[1], embedder.embed([UNRELATED])[0])


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_blank_text_still_has_a_vector(embedder: OnnxEmbedder) -> None:
    assert np.allclose(np.linalg.norm(embedder.embed(["", " \n"]), axis=1), 1, atol=1e-5)


def test_a_translation_is_near_and_something_else_is_not(embedder: OnnxEmbedder) -> None:
    german, english, unrelated = embedder.embed([GERMAN, ENGLISH, UNRELATED])
    assert german @ english > 0.8
    assert german @ english > german @ unrelated + 0.1


def test_centring_makes_unrelated_texts_almost_orthogonal(embedder: OnnxEmbedder) -> None:
    german, english, unrelated = embedder.centred(embedder.embed([GERMAN, ENGLISH, UNRELATED]))
    assert abs(german @ unrelated) < 0.3
    assert german @ english > 0.67
    assert np.linalg.norm(german) == pytest.approx(1, abs=1e-5)


def test_centring_one_vector_is_like_centring_a_row(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed([GERMAN])
    assert np.allclose(embedder.centred(vectors[0]), embedder.centred(vectors)[0], atol=1e-6)


def test_a_model_without_a_centre_is_left_as_it_is(tmp_path: Path) -> None:
    vectors = np.eye(2, 384, dtype=np.float32)
    assert np.array_equal(OnnxEmbedder(tmp_path, "plain", 384).centred(vectors), vectors)


def test_a_texts_vector_does_not_depend_on_its_neighbours(embedder: OnnxEmbedder) -> None:
    alone = embedder.embed([GERMAN])[0]
    among = embedder.embed([UNRELATED, GERMAN, "kurz", ENGLISH * 20])[1]
    assert alone.tobytes() == among.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_texts_vector_does_not_depend_on_the_number_of_threads(embedder: OnnxEmbedder, threads: int) -> None:
    text = f"{GERMAN} {ENGLISH}" * 5
    assert default_embedder(threads).embed([text]).tobytes() == embedder.embed([text]).tobytes()


def test_many_threads_may_share_a_fresh_embedder(embedder: OnnxEmbedder) -> None:
    fresh, texts = default_embedder(), [GERMAN, ENGLISH, UNRELATED, ""]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: fresh.embed([text])[0], texts))
    assert np.array_equal(np.stack(found), embedder.embed(texts))


def test_a_long_text_is_cut_to_what_the_model_can_read(embedder: OnnxEmbedder) -> None:
    long = "Wort " * 10_000
    assert np.array_equal(embedder.embed([long]), embedder.embed(["Wort " * 600]))


def test_umlauts_and_their_spelling_are_the_same(embedder: OnnxEmbedder) -> None:
    assert np.array_equal(*embedder.embed(["schöne Grüße", "schoene Gruesse"]))
    assert not np.array_equal(*embedder.embed(["schön", "schon"]))


def test_tokens_are_counted_beyond_the_cut_and_without_the_frame(embedder: OnnxEmbedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("hallo welt " * 5_000) == 10_000


def test_a_pair_of_texts_is_read_as_one(embedder: OnnxEmbedder) -> None:
    model = OnnxModel(commonplace_embed.FOLDER)
    assert not np.array_equal(model.run(GERMAN, UNRELATED), model.run(GERMAN))


def test_importing_and_making_an_embedder_loads_no_library() -> None:
    program = (
        "import sys\n"
        "from commonplace.retrieval.embed import default_embedder\n"
        "default_embedder()\n"
        "print(*{'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_embedding_writes_nothing_to_the_output() -> None:
    program = "from commonplace.retrieval.embed import default_embedder\ndefault_embedder().embed(['Hallo'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_installed_files_are_the_published_ones() -> None:
    verify_digests(commonplace_embed.FOLDER, commonplace_embed.DIGESTS)


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    shutil.copytree(commonplace_embed.FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "tokenizer.json").open("ab") as file:
        file.write(b" ")
    with pytest.raises(Damaged, match=r"tokenizer\.json .* is not the published one; install it again"):
        verify_digests(tmp_path, commonplace_embed.DIGESTS)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match=r"model\.onnx is missing from .*; install the model again"):
        verify_digests(tmp_path, commonplace_embed.DIGESTS)
