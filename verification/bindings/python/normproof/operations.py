"""The part of its inputs that each layer and function computes by itself, as the library describes it."""
from normproof.corpus import layer_descriptions


def independence(op: str) -> str:
    """Returns "element", "row", "sample" or "none"; "none" for an encoder, a Transformer or an optimizer."""
    return str(layer_descriptions().get(op, {}).get("independence", "none"))


def computes_by_row(op: str) -> bool:
    """Whether an operation computes each row, or each element, by itself."""
    return independence(op) in ("row", "element")


def computes_by_sample(op: str) -> bool:
    """Whether an operation computes each sample by itself."""
    return independence(op) != "none"
