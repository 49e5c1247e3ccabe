"""Maps the names of parameters to the tensors and options of a case."""
from __future__ import annotations

import difflib
import functools
from typing import Any, Collection, Mapping

from normproof import abi, folders
from normproof.corpus import Case, Corpus, layer_descriptions, optimizer_descriptions, option_value
from normproof.errors import UsageError
from normproof.scales import scale_names

# The corpus' names come first; an alias stands for the first name in this table that the operation has.
ALIASES: dict[str, tuple[str, ...]] = {
    "x": ("input", "inputs", "hidden_states", "hidden", "a", "arr", "array", "tensor", "data", "src", "inp"),
    "logits": ("input", "inputs", "x", "scores", "predictions"),
    "targets": ("target", "labels", "label"),
    "class_weights": ("weight", "weights", "class_weight"),
    "q": ("query", "queries"),
    "k": ("key", "keys"),
    "v": ("value", "values"),
    "residual": ("res", "skip"),
    "grad_sum": ("grad_residual", "dsum"),
    "causal": ("is_causal",),
    "window_left": ("left_window",),
    "window_right": ("right_window",),
    "scale": ("sm_scale", "softmax_scale"),
    "soft_cap": ("softcap", "logits_soft_cap", "logit_soft_cap", "logit_cap", "attn_logits_soft_cap", "attn_logit_softcapping"),
    "log_sum_exp_base": ("lse_base",),
    "z_loss": ("lse_square_scale", "z_loss_weight", "z_loss_coef", "z_loss_factor", "z_loss_scale", "zloss"),
    "o": ("outputs", "o_partial", "out_partial", "partial_out", "partial_outputs"),
    "log_sum_exp": ("lse", "logsumexp", "lses", "softmax_lse", "lse_partial", "partial_lse"),
    "bias": ("attn_bias", "attention_bias", "score_bias", "ab"),
    "sinks": ("sink", "attn_sinks", "attn_sink", "attention_sinks", "attention_sink", "s_aux", "learnable_sink", "sink_logits"),
    "limit": ("swiglu_limit", "clamp_limit", "clamp_value", "gemm1_clamp_limit"),
    "alpha": ("swiglu_alpha", "gemm1_alpha"),
    "gamma": ("weight", "scale", "w", "g", "weights"),
    "gate": ("up", "z", "b", "g"),
    "beta": ("bias", "b", "offset", "shift", "swiglu_beta", "gemm1_beta"),
    "gate_activation": ("activation",),
    "grad_y": ("dy", "grad_output", "grad_out", "dout", "gy", "cotangent", "upstream"),
    "running_mean": ("moving_mean",),
    "running_variance": ("running_var", "moving_variance", "moving_var"),
    "valid": ("mask",),
    "parameter": ("param", "params", "p", "w", "weight", "weights", "theta"),
    "grad_parameter": ("grad", "grads", "g", "gradient", "gradients", "d_p", "dw"),
    "first_moment": ("exp_avg", "exp_avgs", "m", "mu"),
    "second_moment": ("exp_avg_sq", "exp_avg_sqs", "v", "nu"),
    "iterations": ("step", "t", "steps", "timestep", "count"),
    "x_scale": ("scale_x", "input_scale"),
    "x_tensor_scale": ("tensor_scale", "per_tensor_scale"),
    "y_tensor_scale": ("tensor_scale", "per_tensor_scale"),
    "x_scale_group": ("group_size", "quant_group_size", "scale_group"),
    "y_scale": ("scale_y", "output_scale", "out_scale"),
    "y_dtype": ("out_dtype", "output_dtype", "quant_dtype"),
    "y_scale_group": ("group_size", "quant_group_size", "scale_group"),
    "y_scale_power_of_two": ("use_ue8m0", "scale_ue8m0", "round_scale", "force_pow_2_scales", "use_power_2_scales"),
    "y_scale_ub": ("scale_ub", "scale_upper_bound"),
    "y_scale_min": ("min_scaling_factor", "min_scale", "scale_min"),
    "eps": ("epsilon", "variance_epsilon", "layer_norm_eps", "rms_norm_eps", "norm_eps", "layernorm_epsilon"),
    "groups": ("num_groups", "n_groups", "ngroups"),
    "zero_centred_gamma": ("zero_centered_gamma", "unit_offset", "add_unit_offset"),
    "scaled_embedding": ("scale_embedding",),
    "running_decay": ("decay",),
    "learning_rate": ("lr", "alpha", "step_size"),
    "beta1": ("b1", "beta_1"),
    "beta2": ("b2", "beta_2"),
    "weight_decay": ("wd", "decay"),
    "velocity": ("momentum_buffer", "momentum_buf", "buf", "v"),
}
# Values that follow from the case: the name of the rule, and the names of parameters that ask for it.
DERIVED: dict[str, tuple[str, ...]] = {
    "normalized_shape": ("normalized_shape",),
    "features": ("num_features", "num_channels", "features", "hidden_size", "dim", "d_model", "n_features", "embed_dim",
                 "d", "n_embd", "hidden_dim", "emb_dim", "embedding_dim", "width", "units", "c", "ndim",
                 "dims", "size", "channels", "normalized_dim"),
    "last_axis": ("axis", "dim"),
    "momentum": ("momentum",),
    "training": ("training", "train", "is_training", "use_input_stats"),
    "inference": ("use_running_average", "deterministic"),
    "has_gamma": ("elementwise_affine", "affine"),
    "has_beta": ("bias",),
    "approximate": ("approximate",),
    "grouped_heads": ("enable_gqa",),
    "ignored_target": ("ignore_index",),
    "betas": ("betas",),
    "window_size": ("window_size", "local_window_size"),
    "norm_before_gate": ("norm_before_gate",),
    "group_width": ("group_size",),
    "reciprocal_scale": ("global_scale", "input_global_scale"),
    "rotary_dim": ("rotary_dim", "rotary_dims", "rotary_ndims", "rot_dim", "rope_dim"),
    "steps_before": (), "step_number": (), "steps_before_scalar": (), "step_scalar": (), "step_array": (),
    "case": ("case",),
}
CONSTRUCTOR_RULES = ("features", "has_gamma", "has_beta")  # asked for by constructors only
FUNCTION_RULES = ("last_axis",)  # asked for by functions only
GATED_NORM_RULES = ("norm_before_gate", "group_width")  # asked for by norms with a gate only
# Whether an operation is the approximation of GELU by tanh.
GELU_BY_TANH = {"gelu": False, "gelu_tanh": True}


def operation_name(op: str, known: Collection[str]) -> str | None:
    """Returns the name among `known` that a name or an alias of an operation stands for, or None."""
    found = op if op in known else abi.find_name("operation", op)
    return found if found in known else None


def has_statistics_over_rows(op: str) -> bool:
    """Whether the statistics of op run over several rows, so that a mask of rows has a meaning."""
    cells = layer_descriptions().get(op, {}).get("cells", [])
    return any(cell["partition"] not in ("row", "row_group") for cell in cells)


def reads_mask(op: str) -> bool:
    """Whether the outputs of op at valid elements depend on which elements are valid."""
    described = layer_descriptions().get(op)
    if described is None:  # an encoder
        return True
    return "valid" in described.get("optional", ()) or has_statistics_over_rows(op)


def is_function(op: str) -> bool:
    """Whether op is a function, such as softmax, rather than a layer."""
    return bool(layer_descriptions().get(op, {}).get("kind") == "function")


def norm_layers() -> dict[str, dict[str, Any]]:
    """Returns the descriptions of the norm layers, by name."""
    return {name: described for name, described in layer_descriptions().items() if described["kind"] == "layer"}


def state_names(op: str) -> tuple[str, ...]:
    """Returns the names of the tensors that op updates in training, such as running statistics."""
    return tuple(entry["name"] for entry in layer_descriptions().get(op, {}).get("state", []))


@functools.lru_cache(maxsize=None)
def tensor_names(op: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the tensors that op requires, in the usual order of parameters, and its optional tensors."""
    described = layer_descriptions().get(op)
    if described is None:
        named = [description["inputs"] for description in _case_descriptions(op)]
        needed = tuple(name for name in named[0] if all(name in one for one in named))
        return needed, tuple(sorted({name for one in named for name in one} - set(needed)))
    if described["kind"] == "function":
        return tuple(described["inputs"]), tuple(described["optional"])
    return ("x",), ("grad_y", "valid", *(entry["name"] for entry in described["parameters"]), *state_names(op))


@functools.lru_cache(maxsize=None)
def default_options(op: str) -> dict[str, str]:
    """Returns the options of op and the text of each default. Encoders and whole models have no defaults: {}."""
    return dict({**layer_descriptions(), **optimizer_descriptions()}.get(op, {}).get("options", {}))


def default_option(op: str, name: str) -> Any:
    """Returns the default of an option of op, which a case has if it does not name the option; None if op has none."""
    return option_value(name, default_options(op).get(name, "none"))


def options_that_matter(own_options: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """Returns the options of an implementation that change the answer to a case.

    The corner of a mask changes nothing without a causal mask and without a window, and the variance that is kept for
    inference nothing in inference.
    """
    options = {**case.options, **own_options}
    has_range = options.get("causal") or any(options.get(name) is not None for name in ("window_left", "window_right"))
    matters = {"mask_corner": has_range, "unbiased_running_variance": case.training}
    return {name: value for name, value in own_options.items() if matters.get(name, True)}


@functools.lru_cache(maxsize=None)
def option_names(op: str) -> tuple[str, ...]:
    """Returns the names of the options of op."""
    if op in layer_descriptions():
        return tuple(default_options(op))
    return tuple(sorted({name for description in _case_descriptions(op) for name in description["options"]}))


@functools.lru_cache(maxsize=None)
def option_kinds(op: str) -> dict[str, frozenset[type]]:
    """Returns the types of the values that each option of op has, by default or in a case of the quick tier."""
    texts = [default_options(op)] if default_options(op) else [one["options"] for one in _case_descriptions(op)]
    kinds: dict[str, frozenset[type]] = {}
    for options in texts:
        for name, text in options.items():
            kinds[name] = kinds.get(name, frozenset()) | {type(option_value(name, text))}
    return kinds


def _case_descriptions(op: str) -> list[dict[str, Any]]:
    with Corpus(folders.tier_folder("quick"), f"quick/{op}/*") as corpus:
        return [corpus.description(index) for index in range(len(corpus))]


def ordered_names(op: str) -> tuple[str, ...]:
    """Returns the names of all tensors and options of op, in the usual order of parameters."""
    needed, others = tensor_names(op)
    return (*needed, *others, *option_names(op))


def known_names(op: str) -> set[str]:
    """Returns the names of all tensors and options of op, as a set."""
    return set(ordered_names(op))


def resolve_alias(name: str, known: Collection[str]) -> str | None:
    """Returns the name among `known` that a name or an alias of any case of letters stands for, or None."""
    name = name.lower()
    if name in known:
        return name
    return next((canonical for canonical, aliases in ALIASES.items() if canonical in known and name in aliases), None)


def with_canonical_names(op: str, given: Mapping[str, Any], caller: str, complete: bool = True) -> dict[str, Any]:
    """Returns keyword arguments for op under the corpus' names. Arguments that are None are left out.

    Throws UsageError for a name that op does not have, for one that is given twice, and, if they must be `complete`, for a
    missing tensor.
    """
    known = known_names(op) | set(scale_names(op))
    needed, others = tensor_names(op)
    # Libraries call the operands of swiglu gate and up, and the corpus calls them x and gate.
    spelled = {name.lower() for name, value in given.items() if value is not None}
    is_gated = {"gate", "up"} <= spelled and "gate" in known and not any(resolve_alias(name, {"x"}) for name in spelled)
    found: dict[str, Any] = {}
    spelled_as: dict[str, str] = {}
    for name, value in given.items():
        canonical = "x" if is_gated and name.lower() == "gate" else resolve_alias(name, known)
        if canonical is None:
            close = {*known, *(alias for one in known for alias in ALIASES.get(one, ()))}
            near = difflib.get_close_matches(name, sorted(close), 1)
            raise UsageError(f"{caller}: {op} has no {name!r}; expected " + (f"{near[0]!r}, of " if near else "")
                             + f"{', '.join(needed)}, and perhaps {', '.join([*others, *option_names(op)])}")
        if canonical in found:
            raise UsageError(f"{caller}: {canonical} is given twice, as {spelled_as[canonical]}= and as {name}=; expected one "
                             "of them")
        if value is not None:
            found[canonical], spelled_as[canonical] = value, name
    missing = [name for name in needed if complete and name not in found]
    if missing:
        raise UsageError(f"{caller}: {op} needs {missing[0]}=, which is not given; expected {', '.join(needed)}")
    return found


def meaning(parameter: str, known: Collection[str], constructor: bool = False) -> str | None:
    """Returns the tensor, option or rule of DERIVED that a parameter of that name stands for, or None.

    `known` are the tensors and options of the operation. `constructor`: the parameter belongs to a constructor.
    """
    name = parameter.lower()
    if name in known:
        return name
    if parameter == "G" and "groups" in known:  # gamma in small letters
        return "groups"
    if {"cos", "sin"} <= set(known) and name in ("k", "key"):  # a rotation of queries and keys
        return "x"
    if name == "g" and {"gate", "gamma"} <= set(known):  # flash-linear-attention calls gamma the weight
        return "gate"
    rules = [rule for rule, spellings in DERIVED.items() if name in spellings
             and (rule not in GATED_NORM_RULES or "gate_position" in known)
             and (rule != "reciprocal_scale" or {"x_tensor_scale", "y_tensor_scale"} & set(known))]
    if "rotary_dim" in rules and "cos" not in known:
        return None
    rules = [rule for rule in rules if rule not in (FUNCTION_RULES if constructor else CONSTRUCTOR_RULES)]
    if rules and (constructor or name not in ALIASES["beta"]):
        return rules[0]
    return resolve_alias(name, known)
