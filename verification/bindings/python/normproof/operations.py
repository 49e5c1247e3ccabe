"""Describes, for each operation, which part of the inputs an output depends on: an element, a row or a sample."""
from normproof.corpus import layer_descriptions


def independence(op: str) -> str:
    """Returns "element", "row", "sample" or "none"; "none" for an encoder, a Transformer or an optimizer."""
    return str(layer_descriptions().get(op, {}).get("independence", "none"))


def computes_by_row(op: str) -> bool:
    """Whether an operation computes each row or each element independently of the others."""
    return independence(op) in ("row", "element")


def computes_by_sample(op: str) -> bool:
    """Whether an operation computes each sample independently of the others."""
    return independence(op) != "none"


def reduces_rows(op: str) -> bool:
    """Whether y has one number per row of x, as that of log_sum_exp."""
    return bool(layer_descriptions().get(op, {}).get("reduces"))
