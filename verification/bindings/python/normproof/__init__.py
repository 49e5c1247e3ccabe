"""Hold a normalization or encoder kernel against certified truth, from Python, in its own process.

    import normproof, torch
    print(normproof.check(torch.nn.LayerNorm, "layer_norm"))

Every name is loaded when it is first used: this import takes no framework, and not NumPy either.
"""
import importlib

_HOMES = {
    "check": "checking", "judge": "judging", "read_inputs": "own_inputs", "agree": "agreement", "cases": "testing",
    "case": "testing", "Report": "report", "Agreement": "agreement", "Case": "corpus", "ops": "corpus",
    "RELATIONS": "relations", "NormproofError": "errors", "UsageError": "errors", "CorpusError": "errors",
    "OutputError": "errors", "Mismatch": "errors", "NotOffered": "errors",
}
_MODULES = ("strategies",)  # with what may not be installed, so that no star imports them
__all__ = sorted([*_HOMES, "__version__", "corpus_version"])


def __getattr__(name):
    if name in _HOMES:
        value = getattr(importlib.import_module("normproof." + _HOMES[name]), name)
    elif name in ("__version__", "corpus_version"):
        from normproof import abi
        value = (abi.version if name == "__version__" else abi.corpus_version)()
    elif name in _MODULES:
        value = importlib.import_module("normproof." + name)
    else:
        raise AttributeError(f"module 'normproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
