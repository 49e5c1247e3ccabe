"""Certifies a case again for an implementation that receives no gamma or beta, or that has options of its own."""
from __future__ import annotations

import re
from typing import Any, Collection, Mapping

from normproof import names, variants
from normproof.corpus import Case, Corpus
from normproof.errors import UsageError
from normproof.signature import EVERYTHING


def fit_case(corpus: Corpus, case: Case, index: int, read: Collection[str],
             own_options: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Returns the index of a case that the implementation can compute, and the tensors that were left out.

    This is the case itself, or the same case without a gamma or beta that the implementation does not receive, and with the
    options that the implementation has by itself. The other case is certified on the spot and added to the corpus.
    """
    left_out: list[str] = [name for name in ("gamma", "beta") if name in case.tensors and name not in read and EVERYTHING not in read]
    own = {name: value for name, value in names.options_that_matter(own_options, case).items()
           if case.options.get(name, names.default_option(case.op, name)) != value}
    # The dtype of a new case is that of x, so that it cannot be one of 8 bits for an x of more bits.
    if not (left_out or own) or "x" in case.tensors and case.tensors["x"].dtype != case.dtype:
        return index, []
    try:
        return certify_again(corpus, case, left_out, own), left_out
    except UsageError:  # the operation has no such case, which is then declined
        return index, []


def certify_again(corpus: Corpus, case: Case, left_out: Collection[str], own_options: Mapping[str, Any]) -> int:
    """Certifies a case without some tensors and with other options, and adds it. Returns its index.

    Throws UsageError if the operation has no such case.
    """
    name = recertified_path(case.path).split("/")[2].rsplit("-", 2)[0]
    inputs = {key: stored for key, stored in case.tensors.items() if key not in left_out}
    options = {**variants.option_texts(case), **{key: variants.option_text(value) for key, value in own_options.items()}}
    return corpus.certify(name, case.op, case.training, options, case.sequence, inputs, 1)


def recertified_path(path: str) -> str:
    """Returns the path that a case has when it is certified again."""
    _, op, case = path.split("/")
    name, *rest = case.rsplit("-", 2)
    return f"own/{op}/{'-'.join([re.sub('[^a-z0-9_]', '_', name), *rest])}"
