"""What the arguments of a function may be called, and which tensor or option of a case each then is."""
from normproof.corpus import layer_descriptions

# First those of the corpus; an alias belongs to the first that the operation has.
ALIASES = {
    "x": ("input", "inputs", "hidden_states", "hidden", "a", "arr", "array", "tensor", "data", "src", "inp"),
    "gamma": ("weight", "scale", "w", "g", "weights"),
    "beta": ("bias", "b", "offset", "shift"),
    "gate": ("up", "b", "g"),
    "grad_y": ("dy", "grad_output", "grad_out", "dout", "gy", "cotangent", "upstream"),
    "running_mean": ("moving_mean",),
    "running_variance": ("running_var", "moving_variance", "moving_var"),
    "valid": ("mask",),
    "parameter": ("param", "p"),
    "grad_parameter": ("grad", "g"),
    "first_moment": ("exp_avg", "m"),
    "second_moment": ("exp_avg_sq", "v"),
    "iterations": ("step", "t"),
    "eps": ("epsilon", "variance_epsilon", "layer_norm_eps", "rms_norm_eps", "norm_eps", "layernorm_epsilon"),
    "groups": ("num_groups", "n_groups"),
    "running_decay": ("decay",),
    "learning_rate": ("lr",),
}
# What follows from the case: name of the rule, and what it is called. `features` is that of constructors.
DERIVED = {
    "normalized_shape": ("normalized_shape",),
    "features": ("num_features", "num_channels", "features", "hidden_size", "dim", "d_model", "n_features", "embed_dim",
                 "dims", "size", "channels", "normalized_dim"),
    "last_axis": ("axis", "dim"),
    "momentum": ("momentum",),
    "training": ("training", "train", "is_training", "use_input_stats"),
    "inference": ("use_running_average", "deterministic"),
    "has_gamma": ("elementwise_affine", "affine"),
    "has_beta": ("bias",),
    "approximate": ("approximate",),
    "case": ("case",),
}
# What a function that has no such argument computes, as ref/model/operation.hpp has it.
OPTIONS_OF_FUNCTIONS = {
    "attention": {"causal": "false", "scale": "none"},
    "cross_entropy": {"label_smoothing": "0"},
    "rope": {"interleaved": "false"},
}
OF_CONSTRUCTORS = ("features", "has_gamma", "has_beta")
OF_FUNCTIONS = ("last_axis",)


def over_rows(op):
    """Whether the statistics of op run over several rows: a mask has a meaning."""
    cells = layer_descriptions().get(op, {}).get("cells", [])
    return any(cell["partition"] not in ("row", "row_group") for cell in cells)


def state_of(op):
    return tuple(entry["name"] for entry in layer_descriptions().get(op, {}).get("state", []))


def usual_options(op):
    """The options of op with the value that each has where it is left out, as text."""
    return layer_descriptions().get(op, {}).get("options", {}) or OPTIONS_OF_FUNCTIONS.get(op, {})


def meaning(parameter, known, constructor=False):
    """The tensor, option or rule that an argument of that name stands for, or None.

    `known`: the names of the operation's tensors and options.
    """
    name = parameter.lower()
    if name in known:
        return name
    rules = [rule for rule, names in DERIVED.items() if name in names]
    rules = [rule for rule in rules if rule not in (OF_FUNCTIONS if constructor else OF_CONSTRUCTORS)]
    if rules and (constructor or name not in ALIASES["beta"]):
        return rules[0]
    return next((canonical for canonical, names in ALIASES.items() if canonical in known and name in names), None)
