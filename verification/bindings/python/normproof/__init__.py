"""Judges a normalization or encoder kernel against certified values, in its own process.

    import normproof, torch
    print(normproof.check(torch.nn.LayerNorm, "layer_norm"))

Each name is loaded when it is first used. Importing the package imports neither a framework nor NumPy.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from normproof import strategies as strategies
    from normproof.agreement import Agreement as Agreement
    from normproof.agreement import agree as agree
    from normproof.checking import check as check
    from normproof.corpus import Case as Case
    from normproof.corpus import ops as ops
    from normproof.errors import ConventionWarning as ConventionWarning
    from normproof.errors import CorpusError as CorpusError
    from normproof.errors import Mismatch as Mismatch
    from normproof.errors import NormproofError as NormproofError
    from normproof.errors import NotOffered as NotOffered
    from normproof.errors import OutputError as OutputError
    from normproof.errors import UsageError as UsageError
    from normproof.input_files import read_inputs as read_inputs
    from normproof.judging import judge as judge
    from normproof.relations import RELATIONS as RELATIONS
    from normproof.report import Report as Report
    from normproof.testing import case as case
    from normproof.testing import cases as cases
    __version__: str
    corpus_version: str

_MODULES = {  # the module of each public name
    "check": "checking", "judge": "judging", "read_inputs": "input_files", "agree": "agreement", "cases": "testing",
    "case": "testing", "Report": "report", "Agreement": "agreement", "Case": "corpus", "ops": "corpus",
    "RELATIONS": "relations", "NormproofError": "errors", "UsageError": "errors", "CorpusError": "errors",
    "OutputError": "errors", "Mismatch": "errors", "NotOffered": "errors", "ConventionWarning": "errors",
}
_SUBMODULES = ("strategies",)  # not in __all__, because they import packages that may not be installed
__all__ = sorted([*_MODULES, "__version__", "corpus_version"])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = getattr(importlib.import_module("normproof." + _MODULES[name]), name)
    elif name in ("__version__", "corpus_version"):
        from normproof import abi
        value = (abi.version if name == "__version__" else abi.corpus_version)()
    elif name in _SUBMODULES:
        value = importlib.import_module("normproof." + name)
    else:
        raise AttributeError(f"module 'normproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
