"""What the arguments of a function may be called, and which tensor or option of a case each then is."""
import difflib
import functools

from normproof import folders
from normproof.corpus import Corpus, layer_descriptions
from normproof.errors import UsageError

# First those of the corpus; an alias belongs to the first that the operation has.
ALIASES = {
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
    "zero_centred_gamma": ("zero_centered_gamma", "unit_offset", "add_unit_offset"),
    "scaled_embedding": ("scale_embedding",),
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
OF_CONSTRUCTORS = ("features", "has_gamma", "has_beta")
OF_FUNCTIONS = ("last_axis",)


def over_rows(op):
    """Whether the statistics of op run over several rows: a mask has a meaning."""
    cells = layer_descriptions().get(op, {}).get("cells", [])
    return any(cell["partition"] not in ("row", "row_group") for cell in cells)


def heeds_mask(op):
    """Whether the outputs of op at valid elements depend on which ones are valid."""
    described = layer_descriptions().get(op)
    if described is None:  # an encoder
        return True
    return "valid" in described.get("optional", ()) or over_rows(op)


def is_function(op):
    return layer_descriptions().get(op, {}).get("kind") == "function"


def layers():
    """The descriptions of the layers of norms alone, by name."""
    return {name: described for name, described in layer_descriptions().items() if described["kind"] == "layer"}


def state_of(op):
    return tuple(entry["name"] for entry in layer_descriptions().get(op, {}).get("state", []))


@functools.lru_cache(maxsize=None)
def tensors_of(op):
    """The tensors that op needs, in the order in which they are usually given, and those that it may have besides."""
    described = layer_descriptions().get(op)
    if described is None:
        named = [description["inputs"] for description in _cases_of(op)]
        needed = tuple(name for name in named[0] if all(name in one for one in named))
        return needed, tuple(sorted({name for one in named for name in one} - set(needed)))
    if described["kind"] == "function":
        return tuple(described["inputs"]), tuple(described["optional"])
    return ("x",), ("grad_y", "valid", *(entry["name"] for entry in described["parameters"]), *state_of(op))


@functools.lru_cache(maxsize=None)
def usual_options(op):
    """The options of op with the value that each has where it is left out, as text; of an encoder or an optimizer, which
    are asked with all of them, none."""
    return layer_descriptions().get(op, {}).get("options", {})


@functools.lru_cache(maxsize=None)
def options_of(op):
    """The names of the options of op."""
    if op in layer_descriptions():
        return tuple(usual_options(op))
    return tuple(sorted({name for description in _cases_of(op) for name in description["options"]}))


def _cases_of(op):
    with Corpus(folders.tier_folder("quick"), f"quick/{op}/*") as corpus:
        return [corpus.description(index) for index in range(len(corpus))]


def in_order(op):
    """The names of all tensors and options of op, as they are usually given."""
    needed, others = tensors_of(op)
    return (*needed, *others, *options_of(op))


def known_names(op):
    """The same, in no order."""
    return set(in_order(op))


def mask_shape(case):
    """The shape of `valid` in a case that may be without it."""
    tensors = case.tensors
    if "k" in tensors:
        return tensors["k"].shape[0], tensors["k"].shape[2]
    if "logits" in tensors:
        return tensors["logits"].shape[:1]
    if "tokens" in tensors:
        return tensors["tokens"].shape
    return tensors["x"].shape if is_function(case.op) else tensors["x"].shape[:-1]


def alias_of(name, known):
    """The tensor or option among `known` that a name stands for, or None."""
    name = name.lower()
    if name in known:
        return name
    return next((canonical for canonical, names in ALIASES.items() if canonical in known and name in names), None)


def by_canonical_name(op, given, caller):
    """What was given to op by any of the names of its tensors and options, by the corpus's names of them.

    Throws UsageError for a name that op does not have, for one given twice, and where a tensor is missing.
    """
    known = known_names(op)
    needed, others = tensors_of(op)
    found, spelled_as = {}, {}
    for name, value in given.items():
        canonical = alias_of(name, known)
        if canonical is None:
            spelled = {*known, *(alias for one in known for alias in ALIASES.get(one, ()))}
            near = difflib.get_close_matches(name, sorted(spelled), 1)
            raise UsageError(f"{caller}: {op} has no {name!r}; expected " + (f"{near[0]!r}, of " if near else "")
                             + f"{', '.join(needed)}, and perhaps {', '.join([*others, *options_of(op)])}")
        if canonical in found:
            raise UsageError(f"{caller}: {canonical} is given twice, as {spelled_as[canonical]}= and as {name}=; expected one "
                             "of them")
        if value is not None:
            found[canonical], spelled_as[canonical] = value, name
    missing = [name for name in needed if name not in found]
    if missing:
        raise UsageError(f"{caller}: {op} needs {missing[0]}=, which is not given; expected {', '.join(needed)}")
    return found


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
    return alias_of(name, known)
