"""Modules of PyTorch: made for a case, its parameters loaded; and what is known of PyTorch's own functions."""
import inspect

import torch

from normproof.errors import NotOffered, Unanswered

# Names of parameters and buffers, in the order in which they are looked for.
MEMBERS = {
    "gamma": ("weight", "gamma", "scale", "g", "w"), "beta": ("bias", "beta", "offset", "b"), "alpha": ("alpha",),
    "running_mean": ("running_mean",), "running_variance": ("running_var", "running_variance")}


def is_module(fn):
    """Whether fn is a module, or a class of modules."""
    return isinstance(fn, torch.nn.Module) or inspect.isclass(fn) and issubclass(fn, torch.nn.Module)


def spatial_axes(kind):
    """How many axes behind the channels the batch and instance norms of torch.nn want, by name; None: any."""
    name = getattr(kind, "__name__", "")
    return int(name[-2]) if name.endswith(("1d", "2d", "3d")) else None


def member(module, name):
    """The attribute of a module that holds a tensor of the case, or None."""
    present = {**dict(module.named_parameters(recurse=False)), **dict(module.named_buffers(recurse=False))}
    for spelled in MEMBERS.get(name, (name,)):
        if spelled in present:
            return spelled
    every = [key for key, _ in [*module.named_parameters(), *module.named_buffers()]]
    for spelled in MEMBERS.get(name, (name,)):
        inner = [key for key in every if key.endswith("." + spelled)]
        if len(inner) == 1:
            return inner[0]
    return None


def has_member(module, name):
    return member(module, name) is not None


def holder(module, path):
    """The module that has the last name of a dotted path, and that name."""
    *outer, name = path.split(".")
    for part in outer:
        module = getattr(module, part)
    return module, name


def module_forward(module, tensors, training, call):
    """Loads tensors of the case into a module.

    Returns   forward, a function of the leaves, which reads the state back; the leaves, {name: Parameter}; and the
              members that were loaded, with the names of what they hold
    Throws    NotOffered where it has no place for one
    """
    module.train(training)
    leaves, state, members = {"x": tensors["x"]}, {}, {}
    for name, value in tensors.items():
        if name in ("x", "grad_y", "valid", "gate"):
            continue
        path = member(module, name)
        if path is None:
            if name in ("iterations",):
                continue
            raise NotOffered(f"{type(module).__name__} has no {name}")
        inner, attribute = holder(module, path)
        held = getattr(inner, attribute)
        if held.numel() != value.numel():
            raise Unanswered(f"{attribute} of {type(module).__name__} is {list(held.shape)}; expected "
                             f"{list(value.shape)}")
        value, members[path] = value.reshape(held.shape), name
        if attribute in dict(inner.named_parameters(recurse=False)):
            setattr(inner, attribute, torch.nn.Parameter(value))
            leaves[name] = getattr(inner, attribute)
        else:
            setattr(inner, attribute, value)
            state[name] = (inner, attribute)
    loaded = {id(leaf) for leaf in leaves.values()}
    with torch.no_grad():  # what the case has no tensor for changes nothing
        for path, parameter in module.named_parameters():
            if id(parameter) not in loaded:
                parameter.fill_(1 if path.split(".")[-1] in MEMBERS["gamma"] else 0)

    def forward(given):
        y = call(module, {**tensors, **given})
        return y, {name: getattr(inner, attribute) for name, (inner, attribute) in state.items()}

    return forward, leaves, members


def builtin_rules(fn):
    """What is known of PyTorch's own batch norms, else {}.

    state_parameters: gamma and beta have the dtype of the statistics; unbiased: of the running variance;
    one_row: it refuses to train on one row; axes: behind the channels.
    """
    name = getattr(fn, "__name__", "")
    own = (getattr(fn, "__module__", "") or "").startswith("torch.")
    rules = {}
    if fn is torch.nn.functional.batch_norm or own and name.startswith("BatchNorm"):
        rules = {"state_parameters": True, "unbiased": True, "one_row": True}
    if own and inspect.isclass(fn):
        rules["axes"] = spatial_axes(fn)
    return rules
