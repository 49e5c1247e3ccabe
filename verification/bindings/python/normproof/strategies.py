"""Strategies of Hypothesis for inputs of norms, in the regimes where kernels go wrong. Extra: normproof[hypothesis].

    @given(normproof.strategies.inputs("layer_norm", dtype="float32"))
    def test_my_layer_norm(given):
        assert normproof.judge(my_layer_norm, "layer_norm", **given)
"""
from __future__ import annotations

from typing import Any, Callable, Collection, Sequence

import numpy as np
from hypothesis import strategies as st

from normproof import names
from normproof.errors import UsageError
from normproof.stored import Array

REGIMES = ("ordinary", "offset", "near_constant", "large", "tiny", "one_outlier")
LAYERS_WITH_TOKENS = ("group_norm", "instance_norm")


def shapes(op: str, largest: int = 9) -> Any:
    """Returns a strategy of shapes of x: [rows, features], or [samples, tokens, features] for statistics of samples."""
    extent, samples = st.integers(1, largest), st.integers(2 if names.has_statistics_over_rows(op) else 1, largest)
    tokens = st.tuples(samples, extent, extent)
    return tokens if op in LAYERS_WITH_TOKENS else st.one_of(st.tuples(st.integers(2, largest), extent), tokens)


@st.composite
def inputs(draw: Callable[[Any], Any], op: str, *, dtype: str = "float32", shape: Any = None,
           affine: bool | str | Sequence[str] = True) -> dict[str, Any]:
    """Draws keyword arguments for normproof.judge: x, grad_y, parameters and eps, in one of the regimes.

    shape    the shape of x, or a strategy of shapes
    affine   whether there are parameters, or the names of those that there are: "gamma" for an RMSNorm without a shift
    Throws UsageError for a dtype that NumPy does not have, for an operation that is no layer, and for a parameter
    that the layer does not have.
    """
    if dtype not in ("float64", "float32", "float16"):
        raise UsageError(f"normproof.strategies: dtype={dtype!r}; expected float64, float32 or float16")
    if op not in names.norm_layers():
        raise UsageError(f"normproof.strategies: op={op!r} is no layer; expected one of "
                         f"{', '.join(sorted(names.norm_layers()))}")
    extents = draw(shapes(op) if shape is None else shape if hasattr(shape, "example") else st.just(tuple(shape)))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind, features = np.dtype(dtype), extents[-1]
    made: dict[str, Any] = {"x": _draw_x(generator, extents, draw(st.sampled_from(REGIMES)), dtype).astype(kind),
                            "grad_y": generator.standard_normal(extents).astype(kind)}
    layer = names.norm_layers()[op]
    for parameter in _select_parameters(op, layer["parameters"], affine):
        width = 1 if parameter["shape"] == "[1]" else features
        made[parameter["name"]] = (parameter["initial"] + generator.standard_normal(width)).astype(kind)
    if "eps" in layer["options"]:
        made["eps"] = draw(st.sampled_from((1e-5, 1e-6, 1e-3)))
    if "groups" in layer["options"]:
        made["groups"] = draw(st.sampled_from([n for n in range(1, features + 1) if features % n == 0]))
    if "running_variance" in names.state_names(op):
        state = np.dtype(np.float64 if dtype == "float64" else np.float32)
        made["running_mean"] = generator.standard_normal(features).astype(state)
        made["running_variance"] = (0.5 + generator.random(features)).astype(state)
    return made


def _select_parameters(op: str, every: Sequence[dict[str, Any]],
                       affine: bool | str | Collection[str]) -> Sequence[dict[str, Any]]:
    """Returns the descriptions of the parameters that `affine` selects."""
    if isinstance(affine, bool):
        return every if affine else ()
    wanted, known = {affine} if isinstance(affine, str) else set(affine), [one["name"] for one in every]
    if not wanted <= set(known):
        raise UsageError(f"normproof.strategies: affine={affine!r}; expected True, False or some of {', '.join(known)} of {op}")
    return [one for one in every if one["name"] in wanted]


def _draw_x(generator: np.random.Generator, shape: tuple[int, ...], regime: str, dtype: str) -> Array:
    x: Array = generator.standard_normal(shape)
    large = 1e2 if dtype == "float16" else 1e4
    if regime == "offset":
        return x + large
    if regime == "near_constant":
        return 3 + x * float(np.finfo(dtype).eps) * 4
    if regime == "large":
        return x * large
    if regime == "tiny":
        return x / large
    if regime == "one_outlier":
        x.flat[int(generator.integers(x.size))] = large
    return x
