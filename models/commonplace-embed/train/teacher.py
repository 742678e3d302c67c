"""Read gte-small's weights from its ONNX file in float32 and pack them under our names.

python teacher.py GTE_SMALL.onnx TEACHER.xz
"""

import sys
from collections import defaultdict
from pathlib import Path

import onnx
from onnx import GraphProto, NodeProto, numpy_helper

from bert import Weights, pack

OUTER = {
    "embeddings.word_embeddings.weight": "word.weight",
    "embeddings.position_embeddings.weight": "position.weight",
    "embeddings.LayerNorm": "norm",
}
INNER = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "out",
    "attention.output.LayerNorm": "seen_norm",
    "intermediate.dense": "up",
    "output.dense": "down",
    "output.LayerNorm": "norm",
}
SEGMENTS = "embeddings.token_type_embeddings.weight"


def named_weights(graph: GraphProto) -> Weights:
    """Every weight by its name; the exporter leaves those of linear layers nameless, so their bias names them."""
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    users: dict[str, list[NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            users[name].append(node)
    weights = {name: values for name, values in held.items() if not name.startswith("onnx::")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in held:
            add = next(user for user in users[node.output[0]] if user.op_type == "Add")
            bias = next(name for name in add.input if name in held)
            weights[bias.removesuffix("bias") + "weight"] = held[node.input[1]].T
    return weights


def in_our_names(weights: Weights) -> Weights:
    """The weights that our encoder has, under the names that it gives them."""
    found = {name.removeprefix("bert."): values for name, values in weights.items()}
    layers = 1 + max(int(name.split(".")[2]) for name in found if name.startswith("encoder.layer."))
    names = OUTER | {
        f"encoder.layer.{layer}.{theirs}": f"layers.{layer}.{ours}"
        for layer in range(layers)
        for theirs, ours in INNER.items()
    }
    renamed = {"segment": found[SEGMENTS][0]}
    for theirs, ours in names.items():
        for end in ("", ".weight", ".bias"):
            if theirs + end in found:
                renamed[ours + end] = found[theirs + end]
    return renamed


if __name__ == "__main__":
    pack(in_our_names(named_weights(onnx.load(sys.argv[1]).graph)), Path(sys.argv[2]))
