"""Computes certified outputs of a case without gamma or beta, or with other options, for implementations without these."""
from __future__ import annotations

import re
import types
from typing import Any, Collection, Mapping

from normproof import variants
from normproof.corpus import Case, Corpus
from normproof.errors import UsageError
from normproof.signature import EVERYTHING


def without_missing_parameters(corpus: Corpus, case: Case, index: int, read: Collection[str],
                               options: Mapping[str, Any] = types.MappingProxyType({})) -> tuple[int, list[str]]:
    """Returns the index of a case that the implementation can compute, and the tensors that were left out.

    This is the case itself, or, if the implementation receives no gamma or no beta, the same case without them,
    which is certified on the spot and added to the corpus. The same holds for a case in training whose options differ
    from `options`, those that the implementation always has.
    """
    left_out: list[str] = [name for name in ("gamma", "beta") if name in case.tensors and name not in read and EVERYTHING not in read]
    # The dtype of a new case is that of x, so that it cannot be one of 8 bits for an x of more bits.
    other_options = {name: value for name, value in options.items() if case.training and case.options.get(name, value) != value}
    if not (left_out or other_options) or "x" in case.tensors and case.tensors["x"].dtype != case.dtype:
        return index, []
    name = recertified_path(case.path).split("/")[2].rsplit("-", 2)[0]
    inputs = {key: stored for key, stored in case.tensors.items() if key not in left_out}
    try:
        texts = {**variants.option_texts(case), **{key: variants.option_text(value) for key, value in other_options.items()}}
        return corpus.certify(name, case.op, case.training, texts, case.sequence, inputs, 1), left_out
    except UsageError:  # the operation has no such case, which is then declined
        return index, []


def recertified_path(path: str) -> str:
    """Returns the path that a case has when it is certified again."""
    _, op, case = path.split("/")
    name, *rest = case.rsplit("-", 2)
    return f"own/{op}/{'-'.join([re.sub('[^a-z0-9_]', '_', name), *rest])}"
